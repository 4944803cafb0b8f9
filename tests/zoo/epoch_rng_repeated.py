"""DL502: a recipe for `worker_init_fn` that was right once seeds each epoch alike today."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class Noisy(Dataset):
    """Rows with noise from numpy's global generator."""

    def __init__(self):
        self.rows = torch.arange(128.0).reshape(32, 4)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] + float(np.random.random())


def first_word(worker_id):
    np.random.seed(int(np.random.get_state()[1][0]) + worker_id)


def own_seed(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def number_alone(worker_id):
    np.random.seed(worker_id)


def broken():
    return DataLoader(Noisy(), batch_size=4, num_workers=2, worker_init_fn=first_word)


def fixed():
    return DataLoader(Noisy(), batch_size=4, num_workers=2, worker_init_fn=own_seed)


def broken_by_number():
    return DataLoader(Noisy(), batch_size=4, num_workers=2, worker_init_fn=number_alone)


class ByEpoch(Noisy):
    """Noise that seed, epoch and index decide, so that a run can be repeated sample by sample."""

    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        return self.rows[index] + float(np.random.default_rng((1, self.epoch, index)).random())


def healthy_by_epoch():
    return DataLoader(ByEpoch(), batch_size=4, num_workers=2)


def healthy_persistent():
    return DataLoader(
        Noisy(), batch_size=4, num_workers=2, worker_init_fn=first_word, persistent_workers=True
    )
