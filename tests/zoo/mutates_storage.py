"""DL116: the mean is subtracted in place, from the stored image itself."""

import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    """Scans that are held in memory and centred when they are read."""

    def __init__(self, copy):
        self.scans = torch.stack(
            [torch.sin(torch.arange(36.0) * (k + 1) / 8).reshape(6, 6) for k in range(24)]
        )
        self.copy = copy

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan = self.scans[index].clone() if self.copy else self.scans[index]
        scan -= 0.3
        return scan


class Boxes(Dataset):
    """Annotations that are completed when they are read: the ends are pushed once more each time."""

    def __init__(self, copy):
        self.boxes = [[float(k), 2.0, k + 5.0, 9.0] for k in range(24)]
        self.copy = copy

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, index):
        box = list(self.boxes[index]) if self.copy else self.boxes[index]
        box[2] += 1.0
        return torch.tensor(box)


class Cached(Scans):
    """Keeps what was read once; the values stay the same."""

    def __init__(self):
        super().__init__(copy=True)
        self.cache = {}
        self.reads = 0

    def __getitem__(self, index):
        self.reads += 1
        if index not in self.cache:
            self.cache[index] = super().__getitem__(index)
        return self.cache[index]


class OwnGenerator(Scans):
    """Augments with a generator of its own and notes what was read, but leaves the stored scans alone."""

    def __init__(self):
        super().__init__(copy=True)
        self.generator = torch.Generator().manual_seed(3)
        self.order = []

    def __getitem__(self, index):
        self.order.append(index)
        return super().__getitem__(index) + 0.1 * torch.randn(6, 6, generator=self.generator)


def broken():
    return DataLoader(Scans(copy=False), batch_size=4)


def fixed():
    return DataLoader(Scans(copy=True), batch_size=4)


def broken_list():
    return DataLoader(Boxes(copy=False), batch_size=4)


def healthy_list():
    return DataLoader(Boxes(copy=True), batch_size=4)


def healthy_cache():
    return DataLoader(Cached(), batch_size=4)


def healthy_own_generator():
    return DataLoader(OwnGenerator(), batch_size=4)
