"""Spectrograms that stay NumPy arrays in the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 12}


class Spectrograms(Dataset[np.ndarray]):
    """48 spectrograms of 4 MB, views into one array."""

    def __init__(self) -> None:
        self.base = np.random.default_rng(0).random((1024, 1100), dtype=np.float32)

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> np.ndarray:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.base[:, index : index + 1000]


def as_array(rows: list[np.ndarray]) -> np.ndarray:
    """Stack as NumPy does."""
    return np.stack(rows)


def as_tensor(rows: list[np.ndarray]) -> torch.Tensor:
    """The same, as a tensor in shared memory."""
    return torch.from_numpy(np.stack(rows))


def broken() -> DataLoader[Any]:
    """16 MB a batch go through the pipe."""
    return DataLoader(Spectrograms(), batch_size=4, num_workers=1, collate_fn=as_array)


def healthy_small_arrays() -> DataLoader[Any]:
    """A few kilobytes may go by pickle."""
    return DataLoader(Small(), batch_size=4, num_workers=1, collate_fn=as_array)


class Small(Spectrograms):
    """Of each a corner."""

    def __getitem__(self, index: int) -> np.ndarray:
        return super().__getitem__(index)[:16, :16]


def fixed() -> DataLoader[Any]:
    """Shared memory takes them."""
    return DataLoader(Small(), batch_size=4, num_workers=1, collate_fn=as_tensor)
