"""DL510: a lambda as collate function, and workers that are not forked."""

import multiprocessing
import threading

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

OPTIONS = {"experiments": ["start_methods", "handles"]}


class Rows(Dataset):
    """Rows, and what else a dataset may hold."""

    def __init__(self, **held):
        self.rows = torch.arange(96.0).reshape(24, 4)
        vars(self).update(held)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def stacked(samples):
    return default_collate(samples)


def broken():
    return DataLoader(
        Rows(), batch_size=4, num_workers=1, multiprocessing_context="spawn",
        collate_fn=lambda samples: default_collate(samples[:4]),
    )  # fmt: skip


def fixed():
    return DataLoader(
        Rows(), batch_size=4, num_workers=1, multiprocessing_context="spawn", collate_fn=stacked
    )


def broken_in_several_places():
    held = {"steps": [stacked, lambda x: x], "names": (k for k in range(3)), "lock": threading.Lock()}
    return DataLoader(Rows(**held), batch_size=4, num_workers=1, multiprocessing_context="forkserver")


def healthy_forked_lambda():
    return DataLoader(
        Rows(), batch_size=4, num_workers=2, collate_fn=lambda samples: default_collate(samples[:4])
    )


def healthy_inherited():
    return DataLoader(
        Rows(epoch=multiprocessing.get_context("spawn").Value("i", 0)),
        batch_size=4, num_workers=1, multiprocessing_context="spawn",
    )  # fmt: skip
