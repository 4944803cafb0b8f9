"""DL605: 21 items on 2 ranks are evaluated as 22, because the sampler evens out the ranks."""

import os

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

LIMITS = {"ranks": 2}
INTENT = {"role": "eval"}


class Questions(Dataset):
    """Questions of a test set."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError(index)
        return {"id": f"q{index}", "ids": torch.arange(index, index + 4)}


def loader(count, sampler=DistributedSampler):
    data = Questions(count)
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    return DataLoader(data, batch_size=4, sampler=sampler(data, world, rank))


class Unpadded:
    """Every item once; one rank may have one more."""

    def __init__(self, data, world, rank):
        self.data, self.world, self.rank = data, world, rank

    def __len__(self):
        return len(range(self.rank, len(self.data), self.world))

    def __iter__(self):
        return iter(range(self.rank, len(self.data), self.world))


def in_order(data, world, rank):
    return DistributedSampler(data, world, rank, shuffle=False)


def broken():
    return loader(21, in_order)


def fixed():
    return loader(22, in_order)


def healthy_unpadded():
    return loader(21, Unpadded)
