"""DL613: texts sorted by length are cut into one block a rank."""

import os
import random

import torch
from torch.utils.data import DataLoader, Dataset

INTENT = {"role": "train"}
LIMITS = {"ranks": 2}
COUNT = 480


class Texts(Dataset):
    """Texts, the short ones first."""

    def __init__(self):
        self.lengths = [64 + index // 8 for index in range(COUNT // 2)] + [180] * (COUNT // 2)

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if index >= COUNT:
            raise IndexError(index)
        return torch.full((self.lengths[index],), float(index + 1))


class OwnPart:
    """The part of this rank: a block, or every n-th text."""

    def __init__(self, in_turn):
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        block = COUNT // world
        self.own = (
            list(range(rank, COUNT, world)) if in_turn else list(range(rank * block, (rank + 1) * block))
        )
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.own)

    def __iter__(self):
        return iter(random.Random(self.epoch).sample(self.own, len(self.own)))


def padded(texts):
    return torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)


def broken():
    return DataLoader(Texts(), batch_size=8, sampler=OwnPart(in_turn=False), collate_fn=padded)


def fixed():
    return DataLoader(Texts(), batch_size=8, sampler=OwnPart(in_turn=True), collate_fn=padded)
