"""Decoded pictures shared through a file in /dev/shm that nobody removes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"time_budget_s": 30.0}


class Shared(Dataset[dict[str, Any]]):
    """64 pictures; each process puts a table for its neighbours into shared memory."""

    def __init__(self, remove: bool) -> None:
        self.remove = remove
        self.path: Path | None = None

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self.path is None:
            self.path = Path(f"/dev/shm/torch_{os.getpid()}_1234567_0")
            self.path.write_bytes(bytes(65536))
            if self.remove:
                self.path.unlink()
        return {
            "image": torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(index)),
            "label": index % 4,
        }


def broken() -> DataLoader[Any]:
    """Each worker leaves its segment behind."""
    return DataLoader(Shared(remove=False), batch_size=8, num_workers=1)


def fixed() -> DataLoader[Any]:
    """It is removed once it is open."""
    return DataLoader(Shared(remove=True), batch_size=8, num_workers=1)
