"""A step of 50 ms behind a loader that needs 240 ms for a batch, and has all the workers it may have."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

INTENT = {"step_ms": 50.0}
LIMITS = {"time_budget_s": 10.0}
OPTIONS = {"workers": [2], "prefetch": [2], "loader_batches": 8}


class Clips(Dataset[dict[str, Any]]):
    """256 rows; reading one waits."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        time.sleep(self.wait_s)
        return {"clip": torch.rand(8, generator=torch.Generator().manual_seed(index)), "label": index % 4}


def broken() -> DataLoader[Any]:
    """Two workers give a batch every 120 ms."""
    return DataLoader(Clips(0.060), batch_size=4, num_workers=2)


def fixed() -> DataLoader[Any]:
    """Two workers give a batch every 2 ms."""
    return DataLoader(Clips(0.001), batch_size=4, num_workers=2)
