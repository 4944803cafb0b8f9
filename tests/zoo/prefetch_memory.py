"""A prefetch factor raised to cure a slow loader, which fills the memory instead."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"memory_limit_bytes": 5_000_000, "shm_bytes": 1_000_000_000}
"""A batch of 8 images has 393 kB; 16 of them are 6.3 MB, 4 of them 1.6 MB."""


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
    """16 batches are read ahead."""
    return DataLoader(Pictures(), batch_size=8, num_workers=2, prefetch_factor=8)


def fixed() -> DataLoader[Any]:
    """4 batches are read ahead, the default."""
    return DataLoader(Pictures(), batch_size=8, num_workers=2, prefetch_factor=2)
