"""Each worker makes a large table of its own."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"memory_limit_bytes": 1_000_000_000, "time_budget_s": 30.0}
"""What Python and torch need for themselves depends on the platform: some 100 to 300 MB here."""


class Looked(Dataset[dict[str, Any]]):
    """64 samples that are looked up in a table of `rows` MB."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.table: torch.Tensor | None = None

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self.table is None:
            self.table = torch.ones(self.rows, 250_000)
        generator = torch.Generator().manual_seed(index)
        return {"image": torch.rand(3, 8, 8, generator=generator) * self.table[0, index], "label": index % 4}


def broken() -> DataLoader[Any]:
    """Two workers x 350 MB, and 1 GB is allowed."""
    return DataLoader(Looked(350), batch_size=8, num_workers=2, persistent_workers=True)


def fixed() -> DataLoader[Any]:
    """Two workers x 5 MB."""
    return DataLoader(Looked(5), batch_size=8, num_workers=2, persistent_workers=True)
