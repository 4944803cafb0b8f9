"""DL612: rows sorted by class, and a shuffle buffer that is far smaller than a class."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

INTENT = {"role": "train"}
CLASSES, EACH = 6, 160


class Sorted(IterableDataset):
    """Rows in the order of their class, dealt to workers in turn and shuffled over a buffer."""

    def __init__(self, buffer, shuffled_list=False):
        self.buffer = buffer
        self.shuffled_list = shuffled_list
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def rows(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        order = list(range(CLASSES * EACH))
        if self.shuffled_list:
            random.Random(self.epoch).shuffle(order)
        for row in order[first::step]:
            yield {"row": torch.tensor([row]), "label": row // EACH}

    def __iter__(self):
        dice, held = random.Random(self.epoch), []
        for row in self.rows():
            held.append(row)
            if len(held) > self.buffer:
                yield held.pop(dice.randrange(len(held)))
        dice.shuffle(held)
        yield from held


class Photos(Dataset):
    """Photos of one folder after the other, as a listing gives them."""

    def __init__(self):
        self.targets = [row // EACH for row in range(CLASSES * EACH)]

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(index)
        return torch.tensor([float(index)]), self.targets[index]


class OneClassEach:
    """Batches of one class each, in an order at random: some losses are meant so."""

    def __init__(self, size):
        self.size = size
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return CLASSES * EACH // self.size

    def __iter__(self):
        batches = [list(range(start, start + self.size)) for start in range(0, CLASSES * EACH, self.size)]
        random.Random(self.epoch).shuffle(batches)
        yield from batches


def broken():
    return DataLoader(Sorted(20), batch_size=8, num_workers=2)


def broken_in_the_order_of_folders():
    return DataLoader(Photos(), batch_size=8)


def fixed():
    return DataLoader(Sorted(20, shuffled_list=True), batch_size=8, num_workers=2)


def healthy_shuffled():
    return DataLoader(Photos(), batch_size=8, shuffle=True)


def healthy_batches_of_one_class():
    return DataLoader(Photos(), batch_sampler=OneClassEach(8))
