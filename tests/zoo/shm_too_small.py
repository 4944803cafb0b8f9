"""Large batches read ahead by workers in a container with little shared memory."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"shm_bytes": 1_000_000}
"""A batch of 8 images has 393 kB; four of them are under way with two workers, two with one."""


class Pictures(Dataset[dict[str, Any]]):
    """48 pictures of 64 x 64 pixels."""

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(index))
        return {"image": image, "label": index % 4}


def broken() -> DataLoader[Any]:
    """1.6 MB under way, 1 MB free."""
    return DataLoader(Pictures(), batch_size=8, num_workers=2)


def fixed() -> DataLoader[Any]:
    """0.8 MB under way."""
    return DataLoader(Pictures(), batch_size=8, num_workers=1)


def healthy_without_workers() -> DataLoader[Any]:
    """Nothing crosses from one process to another."""
    return DataLoader(Pictures(), batch_size=8)
