"""DL119: a decoder fills one buffer for all samples."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Decoded(Dataset):
    """Pictures that are decoded into a ring of buffers, or into one of their own."""

    def __init__(self, buffers):
        self.ring = [np.empty((3, 8, 8), dtype=np.float32) for _ in range(buffers)]
        self.reads = 0

    def __len__(self):
        return 48

    def __getitem__(self, index):
        if not 0 <= index < 48:
            raise IndexError(index)
        values = np.random.default_rng(index).random((3, 8, 8), dtype=np.float32)
        if not self.ring:
            return {"image": values, "label": index % 3}
        buffer = self.ring[self.reads % len(self.ring)]
        self.reads += 1
        buffer[:] = values
        return {"image": buffer, "label": index % 3}


class Stream(IterableDataset):
    """Feature vectors read into one tensor, which is handed out each time."""

    def __init__(self, copies):
        self.copies = copies

    def __iter__(self):
        row = torch.empty(32)
        for number in range(48):
            row.copy_(torch.cos(torch.arange(32.0) * (number + 1)))
            yield row.clone() if self.copies else row, number


class Shared(Dataset):
    """Every sample carries the same table, which nobody changes, and views of one array."""

    def __init__(self):
        self.table = np.linspace(0, 1, 20, dtype=np.float32)
        self.rows = np.random.default_rng(0).random((48, 16), dtype=np.float32)

    def __len__(self):
        return 48

    def __getitem__(self, index):
        return {"row": self.rows[index], "table": self.table, "label": index % 3}


def broken():
    return DataLoader(Decoded(1), batch_size=8)


def broken_in_workers():
    return DataLoader(Decoded(1), batch_size=8, num_workers=2)


def broken_ring():
    return DataLoader(Decoded(3), batch_size=8)


def broken_stream():
    return DataLoader(Stream(copies=False), batch_size=8)


def fixed():
    return DataLoader(Decoded(0), batch_size=8)


def healthy_long_ring():
    return DataLoader(Decoded(64), batch_size=8)


def healthy_stream():
    return DataLoader(Stream(copies=True), batch_size=8)


def healthy_shared_table():
    return DataLoader(Shared(), batch_size=8)
