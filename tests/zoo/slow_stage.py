"""A label service that is asked for each sample."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 16}


class Labelled(Dataset[dict[str, Any]]):
    """160 feature rows with a little noise, and a label that may have to be asked for."""

    def __init__(self, asked: bool) -> None:
        self.rows = torch.randn(160, 32, generator=torch.Generator().manual_seed(0))
        self.asked = asked

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        row = self.rows[index] + 0.01 * torch.randn(32)
        return {"row": row, "label": self.label(index)}

    def label(self, index: int) -> int:
        """Ask for the label, or look it up."""
        if self.asked:
            time.sleep(0.006)
        return index % 3


def broken() -> DataLoader[Any]:
    """Each sample waits 6 ms for its label."""
    return DataLoader(Labelled(asked=True), batch_size=8, num_workers=1)


def fixed() -> DataLoader[Any]:
    """Labels are looked up."""
    return DataLoader(Labelled(asked=False), batch_size=8, num_workers=1)


def broken_heavy_collate() -> DataLoader[Any]:
    """The collate waits for a lock of 20 ms."""
    return DataLoader(Labelled(asked=False), batch_size=8, collate_fn=collate_under_lock)


def collate_under_lock(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Collate while another holds the lock."""
    time.sleep(0.02)
    return torch.utils.data.default_collate(rows)
