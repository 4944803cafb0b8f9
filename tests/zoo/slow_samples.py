"""Three scans of enormous size among many small ones."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 24}
HUGE = (29, 90, 131)


class Scans(Dataset[torch.Tensor]):
    """192 small scans; the huge ones take 250 ms to read unless they were cut."""

    def __init__(self, cut: bool) -> None:
        self.rows = torch.randn(192, 32, generator=torch.Generator().manual_seed(0))
        self.cut = cut

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index in HUGE and not self.cut:
            time.sleep(0.25)
        return self.rows[index] + 0.01 * torch.randn(32)


def broken() -> DataLoader[Any]:
    """Three samples hold up all the rest."""
    return DataLoader(Scans(cut=False), batch_size=8, num_workers=2)


def fixed() -> DataLoader[Any]:
    """They were cut to the usual size."""
    return DataLoader(Scans(cut=True), batch_size=8, num_workers=2)
