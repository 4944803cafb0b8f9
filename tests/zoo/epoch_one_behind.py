"""DL507: the sampler tells the dataset the epoch when it is iterated; the workers are copied by then."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class ByEpoch(Dataset):
    """Rows whose noise seed, epoch and index decide."""

    def __init__(self):
        self.rows = torch.arange(96.0).reshape(24, 4)
        self.epoch = 0

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] + float(np.random.default_rng((7, self.epoch, index)).random())


class Order(Sampler):
    """The order of an epoch; counts the epochs, and tells them when it is asked or when it is iterated."""

    def __init__(self, dataset, at_once):
        self.dataset, self.at_once, self.begun = dataset, at_once, 0

    def __len__(self):
        return len(self.dataset)

    def __iter__(self):
        self.begun += 1
        if self.at_once:
            self.dataset.epoch = self.begun
            return iter(range(len(self.dataset)))
        return self.later()

    def later(self):
        self.dataset.epoch = self.begun
        yield from range(len(self.dataset))


class Telling(ByEpoch):
    """Is told the epoch by the training loop."""

    def set_epoch(self, epoch):
        self.epoch = epoch


def broken():
    data = ByEpoch()
    return DataLoader(data, batch_size=4, num_workers=2, sampler=Order(data, at_once=False))


def fixed():
    return DataLoader(Telling(), batch_size=4, num_workers=2)


def healthy_without_workers():
    data = ByEpoch()
    return DataLoader(data, batch_size=4, sampler=Order(data, at_once=False))
