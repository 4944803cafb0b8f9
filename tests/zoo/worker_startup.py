"""Workers that read an index when they start, in epochs that are short."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset[torch.Tensor]):
    """96 rows with a little noise."""

    def __init__(self) -> None:
        self.rows = torch.randn(96, 16, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.rows[index] + 0.01 * torch.randn(16)


def read_index(_worker: int) -> None:
    """Read the index."""
    time.sleep(1.5)


def broken() -> DataLoader[Any]:
    """Each epoch of 12 batches begins with 1.5 s of reading."""
    return DataLoader(Rows(), batch_size=8, num_workers=1, worker_init_fn=read_index)


def fixed() -> DataLoader[Any]:
    """Workers stay."""
    return DataLoader(Rows(), batch_size=8, num_workers=1, worker_init_fn=read_index, persistent_workers=True)
