"""DL602: each worker takes `count // workers` rows, and the remainder is left to nobody."""

import random

import torch
from torch.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    SubsetRandomSampler,
    WeightedRandomSampler,
    get_worker_info,
)


class Rows(IterableDataset):
    """Rows of a table, cut into one block a worker."""

    def __init__(self, count, up):
        self.count = count
        self.up = up

    def __iter__(self):
        info = get_worker_info()
        number, workers = (info.id, info.num_workers) if info else (0, 1)
        block = -(-self.count // workers) if self.up else self.count // workers
        for k in range(number * block, min((number + 1) * block, self.count)):
            yield {"row": torch.tensor([k, k * k]), "name": f"row {k}"}


class Pairs(Dataset):
    """Pairs of numbers."""

    def __init__(self, count):
        self.rows = torch.arange(count * 2.0).reshape(count, 2)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Shuffled(Rows):
    """The same rows through a shuffle buffer, which is emptied at the end, or not."""

    def __init__(self, emptied):
        super().__init__(240, up=True)
        self.emptied = emptied
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        dice, held = random.Random(self.epoch), []
        for row in super().__iter__():
            held.append(row)
            if len(held) > 16:
                yield held.pop(dice.randrange(len(held)))
        if self.emptied:
            dice.shuffle(held)
            yield from held


class Mixed(Rows):
    """Rows in an order of each epoch, cut evenly; what is over is other rows each time."""

    def __init__(self, count):
        super().__init__(count, up=False)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = torch.randperm(self.count, generator=torch.Generator().manual_seed(self.epoch)).tolist()
        info = get_worker_info()
        number, workers = (info.id, info.num_workers) if info else (0, 1)
        for k in order[: self.count // workers * workers][number::workers]:
            yield {"row": torch.tensor([k, k * k]), "name": f"row {k}"}


class Sampled(Rows):
    """Three of four rows, drawn at random in each epoch: sampling on purpose."""

    def __iter__(self):
        dice = random.Random()
        return (row for row in super().__iter__() if dice.random() < 0.75)


def broken():
    return DataLoader(Rows(42, up=False), batch_size=5, num_workers=4)


def broken_weights_by_class():
    return DataLoader(Pairs(100), batch_size=10, sampler=WeightedRandomSampler([9.0, 1.0, 3.0], 100))


def broken_buffer_not_emptied():
    return DataLoader(Shuffled(emptied=False), batch_size=5, num_workers=3)


def fixed():
    return DataLoader(Rows(42, up=True), batch_size=5, num_workers=4)


def healthy_drop_last():
    return DataLoader(Pairs(401), batch_size=16, shuffle=True, drop_last=True)


def healthy_drop_last_of_each_worker():
    return DataLoader(Rows(200, up=True), batch_size=16, num_workers=2, drop_last=True)


def healthy_half_for_training():
    return DataLoader(Pairs(60), batch_size=6, sampler=SubsetRandomSampler(range(30)))


def healthy_weighted():
    weights = [9.0] * 20 + [1.0] * 80
    return DataLoader(Pairs(100), batch_size=10, sampler=WeightedRandomSampler(weights, 100))


def healthy_buffer_emptied():
    return DataLoader(Shuffled(emptied=True), batch_size=5, num_workers=3)


def healthy_sampled_by_chance():
    return DataLoader(Sampled(400, up=True), batch_size=5, num_workers=2)


def healthy_remainder_at_random():
    return DataLoader(Mixed(83), batch_size=5, num_workers=2)
