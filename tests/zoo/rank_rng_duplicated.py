"""DL609: every rank seeds itself with the same number, so that all make the same crops."""

import os

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

LIMITS = {"ranks": 2}
RANK, WORLD = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


class Images(Dataset):
    """Images with noise that is drawn anew each time, or by the index."""

    def __init__(self, by_index=False):
        self.by_index = by_index

    def __len__(self):
        return 32

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index) if self.by_index else None
        return torch.rand(1, 6, 6, generator=generator) * 0.1 + index / 40


def loader(seed, data):
    torch.manual_seed(seed)
    sampler = DistributedSampler(data, WORLD, RANK, seed=0)
    return DataLoader(data, batch_size=4, sampler=sampler, num_workers=2)


def broken():
    return loader(7, Images())


def fixed():
    return loader(7 + RANK, Images())


def healthy_by_index():
    return loader(7, Images(by_index=True))
