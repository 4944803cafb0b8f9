"""DL502: a recipe for `worker_init_fn` that was right once seeds each epoch alike today."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

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


class Spoken(IterableDataset):
    """Short signals with noise; each worker has a seed of its own, of which the epoch is no part."""

    def __init__(self, of_epoch):
        self.of_epoch = of_epoch

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        rng = np.random.default_rng(info.seed if info and self.of_epoch else [5, first])
        for number in range(first, 600, step):
            signal = np.sin(np.arange(64) * (1 + number / 100))
            yield torch.from_numpy((signal + 0.1 * rng.normal(size=64)).astype("float32"))


def broken_stream():
    return DataLoader(Spoken(of_epoch=False), batch_size=8, num_workers=2)


def healthy_stream():
    return DataLoader(Spoken(of_epoch=True), batch_size=8, num_workers=2)
