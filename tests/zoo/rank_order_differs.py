"""DL607: the seed of the distributed sampler depends on the rank, or every rank draws its own split."""

import os

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, random_split

LIMITS = {"ranks": 2}
RANK, WORLD = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


class Frames(Dataset):
    """Frames of a film."""

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return torch.arange(3) + index


def loader(data, seed):
    return DataLoader(data, batch_size=5, sampler=DistributedSampler(data, WORLD, RANK, seed=seed))


def held_out(generator):
    return random_split(Frames(), [60, 40], generator=generator)[1]


def broken():
    return loader(Frames(), seed=1234 * RANK)


def broken_split():
    return loader(held_out(torch.Generator().manual_seed(1234 + RANK * 12345)), seed=0)


def fixed():
    return loader(Frames(), seed=1234)


def healthy_split():
    return loader(held_out(torch.Generator().manual_seed(1234)), seed=0)
