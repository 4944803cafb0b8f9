"""DL608: the sampler shards, and the loop takes every fourth batch of what is left."""

import itertools
import os

import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, DistributedSampler, SequentialSampler

LIMITS = {"ranks": 4}
RANK, WORLD = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


class Clips(Dataset):
    """Short clips."""

    def __len__(self):
        return 128

    def __getitem__(self, index):
        return torch.full((2, 3), index)


class EveryFourth:
    """What a framework makes of a batch sampler: the batches of one rank."""

    def __init__(self, batch_sampler):
        self.batch_sampler = batch_sampler

    def __len__(self):
        return len(self.batch_sampler) // WORLD

    def __iter__(self):
        return itertools.islice(iter(self.batch_sampler), RANK, None, WORLD)


def loader(sampler):
    return DataLoader(Clips(), batch_sampler=EveryFourth(BatchSampler(sampler, 4, drop_last=False)))


def broken():
    return loader(DistributedSampler(Clips(), WORLD, RANK, shuffle=False))


def fixed():
    return loader(SequentialSampler(Clips()))
