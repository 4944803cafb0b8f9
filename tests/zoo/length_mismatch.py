"""DL101: a repeat factor in `__len__` that `__getitem__` does not know of; a stream whose length is a guess."""

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

SCENES = [torch.arange(24.0).reshape(8, 3) * (k + 1) for k in range(6)]


class PointClouds(Dataset):
    """Small scenes that are gone through several times in one epoch."""

    def __init__(self, fold):
        self.scenes = SCENES
        self.loop = 4
        self.fold = fold

    def __len__(self):
        return len(self.scenes) * self.loop

    def __getitem__(self, index):
        return self.scenes[index % len(self.scenes) if self.fold else index]


class Readings(IterableDataset):
    """Rows of a sensor, striped over the workers."""

    def __init__(self, length):
        self.rows = [torch.tensor([float(k), k * k / 7]) for k in range(12)]
        self.length = length

    def __len__(self):
        return self.length

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        yield from self.rows[first::step]


def broken():
    return DataLoader(PointClouds(fold=False), batch_size=4)


def fixed():
    return DataLoader(PointClouds(fold=True), batch_size=4)


def broken_stream():
    return DataLoader(Readings(length=8), batch_size=4, num_workers=1)


def healthy_striped_stream():
    return DataLoader(Readings(length=12), batch_size=2, num_workers=3)


def healthy_stream_drops_last():
    return DataLoader(Readings(length=12), batch_size=5, num_workers=2, drop_last=True)
