"""A thread pool in each worker, as wide as the whole machine."""

from __future__ import annotations

import os
import zlib
from multiprocessing.pool import ThreadPool
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 24}
PIECE = bytes(range(256)) * 400


class Checked(Dataset[torch.Tensor]):
    """192 rows, each with checksums of pieces, which may be computed in a pool."""

    def __init__(self, pieces: int, threads: int) -> None:
        self.pieces = pieces
        self.threads = threads
        self.pool: ThreadPool | None = None

    def __len__(self) -> int:
        return 192

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self.threads == 1:
            sizes = [len(zlib.compress(PIECE, 1)) for _ in range(self.pieces)]
        else:
            self.pool = self.pool or ThreadPool(self.threads)
            sizes = self.pool.map(lambda _: len(zlib.compress(PIECE, 6)), range(self.pieces))
        return torch.tensor(sizes[:1], dtype=torch.float32) + index + torch.rand(1)


def broken() -> DataLoader[Any]:
    """Two workers with four times as many threads as there are cores."""
    threads = 4 * (os.cpu_count() or 1)
    return DataLoader(Checked(4 * threads, threads), batch_size=2, num_workers=2)


def fixed() -> DataLoader[Any]:
    """One thread in one worker."""
    return DataLoader(Checked(1, 1), batch_size=2, num_workers=1)
