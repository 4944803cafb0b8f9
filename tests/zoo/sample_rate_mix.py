"""DL218: clips of 8 and 16 kHz are batched as they were recorded."""

import wave
from functools import cache

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from tests.zoo._photos import folder

RATES = (8000, 16000)
COUNT = 24


@cache
def clips():
    home = folder() / "clips"
    home.mkdir(parents=True)
    for number in range(COUNT):
        rate, generator = RATES[number % 3 == 0], torch.Generator().manual_seed(number)
        numbers = torch.randint(-9000, 9000, (int(rate * (0.2 + 0.01 * number)),), generator=generator)
        with wave.open(str(home / f"{number:02d}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(numbers.to(torch.int16).numpy().tobytes())
    return home


def to_rate(sound, rate, wanted=8000):
    size = [round(len(sound) * wanted / rate)]
    return torch.nn.functional.interpolate(sound[None, None], size)[0, 0]


class Clips(Dataset):
    """Sounds from files; `form` says what a sample holds."""

    def __init__(self, resampled=False, form="sound"):
        self.files, self.resampled, self.form = sorted(clips().iterdir()), resampled, form

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        with wave.open(str(self.files[index])) as file:
            raw, rate = bytearray(file.readframes(file.getnframes())), file.getframerate()
        sound = torch.frombuffer(raw, dtype=torch.int16).float() / 32768
        if self.resampled:
            sound, rate = to_rate(sound, rate), 8000
        if self.form == "pair":
            return sound[None], rate
        if self.form == "window":
            start = int(torch.randint(0, 200, ()))
            return sound[start : start + 1200]
        return {"audio": sound, "label": index % 3}


def padded(samples):
    audio = pad_sequence([one["audio"] for one in samples], batch_first=True)
    return {"audio": audio, "label": torch.tensor([one["label"] for one in samples])}


def pairs_padded(samples):
    return pad_sequence([sound[0] for sound, _ in samples], batch_first=True)


def pairs_resampled(samples):
    return pad_sequence([to_rate(sound[0], rate) for sound, rate in samples], batch_first=True)


def broken():
    return DataLoader(Clips(), batch_size=4, collate_fn=padded)


def fixed():
    return DataLoader(Clips(resampled=True), batch_size=4, collate_fn=padded)


def broken_pairs():
    """As `torchaudio.load` returns them; the rate is dropped."""
    return DataLoader(Clips(form="pair"), batch_size=4, collate_fn=pairs_padded)


def healthy_collate():
    """The collate resamples."""
    return DataLoader(Clips(form="pair"), batch_size=4, collate_fn=pairs_resampled)


def broken_windows():
    return DataLoader(Clips(form="window"), batch_size=4)


def healthy_windows():
    return DataLoader(Clips(resampled=True, form="window"), batch_size=4)
