"""DL514: a thread is running when the workers are forked."""

import threading

import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class Rows(Dataset):
    """Rows, with a thread that keeps a cache fresh."""

    def __init__(self, refreshing):
        self.rows = torch.arange(96.0).reshape(24, 4)
        if refreshing:
            thread = threading.Thread(target=threading.Event().wait, name="refresh", daemon=True)
            thread.start()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def broken():
    return DataLoader(Rows(refreshing=True), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Rows(refreshing=False), batch_size=4, num_workers=2)


def healthy_without_workers():
    return DataLoader(Rows(refreshing=True), batch_size=4)


def healthy_not_forked():
    return DataLoader(
        Rows(refreshing=True),
        batch_size=4,
        num_workers=1,
        multiprocessing_context="spawn",
        persistent_workers=True,
    )
