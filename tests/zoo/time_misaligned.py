"""DL410: sound recorded at 48 kHz is taken for one of 16 kHz; its times belong to the true length."""

from functools import cache

import torch
from PIL import Image
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from tests.zoo._photos import coarse, folder, pixels

RATE = 8000


class Spoken(Dataset):
    """Sounds with the seconds that their list states, and where their words end."""

    def __init__(self, *, factor=1, late=False, window=None):
        self.factor, self.late, self.window = factor, late, window

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        seconds = 1.0 + 0.1 * (index % 7)
        rng = torch.Generator().manual_seed(index)
        audio = torch.randn(int(seconds * RATE * self.factor), generator=rng)
        if self.window:
            audio = torch.nn.functional.pad(audio, (0, 3 * RATE))[: int(self.window * RATE)]
        ends = torch.linspace(0.2, seconds + 2 * self.late, 5)
        return {"audio": audio, "sampling_rate": RATE, "duration": seconds, "timestamps": ends}


def padded(samples):
    batch = {key: torch.tensor([one[key] for one in samples]) for key in ("sampling_rate", "duration")}
    batch["timestamps"] = torch.stack([one["timestamps"] for one in samples])
    return {**batch, "audio": pad_sequence([one["audio"] for one in samples], batch_first=True)}


def loader(**options):
    return DataLoader(Spoken(**options), batch_size=4, collate_fn=padded)


def broken():
    return loader(factor=3)


def fixed():
    return loader()


def broken_late():
    return loader(late=True)


def healthy_window():
    """Every sound is padded to two seconds."""
    return loader(window=2.0)


@cache
def films():
    """Folders of twelve frames each, named without leading zeros."""
    for film in range(6):
        home = folder() / "films" / f"film_{film}"
        home.mkdir(parents=True)
        for frame in range(1, 13):
            coarse(20 * film + frame, 32, 24).save(home / f"frame_{frame}.png")
    return folder() / "films"


class Films(Dataset):
    """Every second frame of a film, with the times that they have in it."""

    def __init__(self, order):
        self.homes, self.order = sorted(films().iterdir()), order

    def __len__(self):
        return 12

    def __getitem__(self, index):
        files = sorted(self.homes[index // 2].iterdir(), key=self.order)
        taken = range(index % 2, 12, 2)
        video = torch.stack([pixels(Image.open(files[at])) for at in taken])
        return {"video": video, "timestamps": torch.tensor([at / 12 for at in taken]), "fps": 12.0}


def broken_frames():
    """Frames 1, 10, 11, 12, 2."""
    return DataLoader(Films(lambda path: path.name), batch_size=2)


def healthy_frames():
    return DataLoader(Films(lambda path: int(path.stem.rpartition("_")[2])), batch_size=2)


class Windows(Films):
    """Some frames in a row, channels first as convolutions over time take them: few windows hold the jump."""

    def __getitem__(self, index):
        files = sorted(self.homes[index // 2].iterdir(), key=self.order)
        start = 7 * (index % 2)
        return torch.stack([pixels(Image.open(one)) for one in files[start : start + 5]], 1), index // 2


def broken_windows():
    return DataLoader(Windows(lambda path: path.name), batch_size=2)


def healthy_windows():
    return DataLoader(Windows(lambda path: int(path.stem.rpartition("_")[2])), batch_size=2)
