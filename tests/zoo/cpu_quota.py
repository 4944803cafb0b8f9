"""A module that pins its process to one core when it is imported, as some builds of numeric libraries do."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset[dict[str, Any]]):
    """32 pictures."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {
            "image": torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(index)),
            "label": index % 4,
        }


def broken() -> DataLoader[Any]:
    """Two workers share the core that the process was pinned to."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return DataLoader(Pictures(), batch_size=8, num_workers=2)


def fixed() -> DataLoader[Any]:
    """One worker needs no more than one."""
    return DataLoader(Pictures(), batch_size=8, num_workers=1)
