"""DL103: a table of offsets with a leading 0, in which a negative index finds another item."""

import torch
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    """Sentences of several lengths in one flat tensor; `ends[k]` is where sentence k - 1 ends."""

    def __init__(self, checked):
        lengths = torch.arange(24) % 5 + 4
        self.ends = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
        self.ids = torch.arange(int(self.ends[-1]) + 8) + 2
        self.checked = checked

    def __len__(self):
        return len(self.ends) - 1

    def __getitem__(self, index):
        if self.checked and index < 0:
            index += len(self)
        start = self.ends[index]
        if index >= len(self):
            raise IndexError(index)
        return self.ids[start : start + 4]


def broken():
    return DataLoader(Sentences(checked=False), batch_size=4)


def fixed():
    return DataLoader(Sentences(checked=True), batch_size=4)


class Refusing(Sentences):
    """Negative indices are an error."""

    def __getitem__(self, index):
        if index < 0:
            raise IndexError(index)
        return super().__getitem__(index)


def healthy_refuses():
    return DataLoader(Refusing(checked=False), batch_size=4)


class Numbered(Dataset):
    """Pictures that say which index was asked for."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        shown = range(24)[index]
        picture = torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(shown))
        return {"picture": picture, "image_id": torch.tensor([index])}


def healthy_echoed_index():
    return DataLoader(Numbered(), batch_size=4)
