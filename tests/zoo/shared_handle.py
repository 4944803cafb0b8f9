"""DL505: a database connection made before the workers start; SQLite forbids to carry it over a fork."""

import os
import sqlite3

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


def connect():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, a REAL, b REAL)")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(k, k + 0.5, k * k) for k in range(24)])
    return connection


class Rows(Dataset):
    """Rows of a table."""

    def __init__(self, lazy):
        self.connection = None if lazy else connect()

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        if self.connection is None:
            self.connection = connect()
        row = self.connection.execute("SELECT a, b FROM rows WHERE id = ?", (int(index),)).fetchone()
        return torch.tensor(row, dtype=torch.float32)


class Checked(Rows):
    """Looks at its first row when it is made, and so opens what was to be opened later."""

    def __init__(self):
        super().__init__(lazy=True)
        self.width = len(self[0])


class OfItsProcess(Rows):
    """Connects again where it finds itself in another process."""

    def __init__(self):
        super().__init__(lazy=False)
        self.owner = os.getpid()

    def __getitem__(self, index):
        if self.owner != os.getpid():
            self.connection, self.owner = None, os.getpid()
        return super().__getitem__(index)


class Mapped(Dataset):
    """Bytes of a file that is mapped into memory, which processes may share."""

    def __init__(self):
        self.data = np.memmap(__file__, dtype=np.uint8, mode="r")

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        return torch.from_numpy(self.data[16 * index : 16 * index + 16].copy())


class ByPlace(Mapped):
    """Bytes of a file object that is read with `os.pread`, which takes the place with it."""

    def __init__(self):
        self.file = open(__file__, "rb")

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        return torch.tensor(list(os.pread(self.file.fileno(), 16, 16 * index)))


def broken():
    return DataLoader(Rows(lazy=False), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Rows(lazy=True), batch_size=4, num_workers=2)


def broken_by_a_look():
    return DataLoader(Checked(), batch_size=4, num_workers=2)


def healthy_reopened():
    return DataLoader(OfItsProcess(), batch_size=4, num_workers=2)


def healthy_memory_map():
    return DataLoader(Mapped(), batch_size=4, num_workers=2)


def healthy_without_workers():
    return DataLoader(Rows(lazy=False), batch_size=4)


def healthy_read_by_place():
    return DataLoader(ByPlace(), batch_size=4, num_workers=2)
