"""DL504: workers share one open file, and its position; two of them move it for each other.

The records are the text of this very file, cut into pieces of 16 bytes.
"""

import os

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}
SIZE = 16
COUNT = 96


def tensor(raw):
    return torch.frombuffer(bytearray(raw), dtype=torch.uint8)


class Records(Dataset):
    """Records of one file that is opened at once, or by each worker on first use."""

    def __init__(self, lazy):
        self.file = None if lazy else open(__file__, "rb", buffering=0)

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        if self.file is None:
            self.file = open(__file__, "rb", buffering=0)
        self.file.seek(SIZE * index)
        return tensor(self.file.read(SIZE))


def broken():
    return DataLoader(Records(lazy=False), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Records(lazy=True), batch_size=4, num_workers=2)


class ByDescriptor(Records):
    """Reads from a descriptor, with its position or without."""

    def __init__(self, positioned):
        super().__init__(lazy=True)
        self.fd = os.open(__file__, os.O_RDONLY)
        self.positioned = positioned

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        if self.positioned:
            return tensor(os.pread(self.fd, SIZE, SIZE * index))
        os.lseek(self.fd, SIZE * index, os.SEEK_SET)
        return tensor(os.read(self.fd, SIZE))


def broken_descriptor():
    return DataLoader(ByDescriptor(positioned=False), batch_size=4, num_workers=2)


def healthy_pread():
    return DataLoader(ByDescriptor(positioned=True), batch_size=4, num_workers=2)


class Curriculum(Dataset):
    """Noise that grows with the samples read so far, of which each worker has its own count."""

    def __init__(self):
        self.rows = torch.arange(96.0).reshape(24, 4)
        self.read = 0

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        self.read += 1
        return self.rows[index] + self.read / 1000


def broken_counter():
    return DataLoader(Curriculum(), batch_size=4, num_workers=2)


class Labelled(Dataset):
    """Says which worker made a sample, and keeps what it read."""

    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        if index not in self.cache:
            self.cache[index] = torch.arange(4) + 100 * index
        info = get_worker_info()
        return {"row": self.cache[index], "worker": info.id if info else -1}


def healthy_worker_number():
    return DataLoader(Labelled(), batch_size=4, num_workers=2)
