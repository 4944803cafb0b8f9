"""DL102: windows cut by slicing a long series, which never raises past the end."""

import torch
from torch.utils.data import DataLoader, Dataset

WIDTH = 16


class Windows(Dataset):
    """Windows of one series, each starting one width after the other."""

    def __init__(self, strict):
        self.series = torch.sin(torch.arange(20 * WIDTH + 5) / 3.0) + torch.arange(20 * WIDTH + 5) / 50
        self.strict = strict

    def __len__(self):
        return 20

    def __getitem__(self, index):
        if self.strict and index >= len(self):
            raise IndexError(index)
        start = index * WIDTH
        return torch.nn.functional.pad(self.series[start : start + WIDTH], (0, WIDTH))[:WIDTH]


class ByKey(Dataset):
    """Rows of a table held in a dict by their number."""

    def __init__(self, strict):
        self.rows = {k: torch.tensor([k, k % 7, 3 * k]) for k in range(24)}
        self.strict = strict

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        if self.strict and index not in self.rows:
            raise IndexError(index)
        return self.rows[index]


class Repeated(Dataset):
    """A few items, several times in an epoch."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.tensor([float(index % 8), index % 8 / 3])


def broken():
    return Windows(strict=False)


def fixed():
    return Windows(strict=True)


def broken_key_error():
    return ByKey(strict=False)


def healthy_key_error():
    return ByKey(strict=True)


def healthy_read_by_a_loader():
    return DataLoader(Windows(strict=False), batch_size=4)


def healthy_repeats():
    return DataLoader(Repeated(), batch_size=4)
