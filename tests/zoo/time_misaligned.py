"""DL410: sound recorded at 48 kHz is taken for one of 16 kHz; its times belong to the true length."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

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
