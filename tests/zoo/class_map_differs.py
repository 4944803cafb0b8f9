"""Each split numbers the classes that it happens to have; evaluation lacks one."""

import torch
from torch.utils.data import DataLoader, Dataset

TRAIN = ("ant", "bee", "cat", "dog")
EVAL = ("ant", "cat", "dog")


class Animals(Dataset):
    def __init__(self, names, known=None, first=0):
        self.first = first
        self.class_to_idx = {name: number for number, name in enumerate(known or names)}
        self.names = [names[number % len(names)] for number in range(48)]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(self.first + index)
        return torch.rand(6, generator=generator), self.class_to_idx[self.names[index]]


def loaders(known=None):
    return {
        "train": DataLoader(Animals(TRAIN), batch_size=8, shuffle=True),
        "eval": DataLoader(Animals(EVAL, known, first=48), batch_size=8),
    }


def broken():
    return loaders()


def fixed():
    return loaders(known=TRAIN)


def healthy_fewer_classes():
    """The classes that evaluation has are numbered as in training."""
    return {
        "train": DataLoader(Animals(TRAIN), batch_size=8, shuffle=True),
        "eval": DataLoader(Animals(TRAIN[:3], first=48), batch_size=8),
    }
