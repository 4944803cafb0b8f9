"""Workers in front of a tensor that lies in memory."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"time_budget_s": 10.0}
OPTIONS = {"workers": [0, 1, 2], "prefetch": [2], "loader_batches": 8}


class Rows(Dataset[dict[str, Any]]):
    """4,096 rows of a table."""

    def __init__(self) -> None:
        self.table = torch.rand(4096, 8, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {"row": self.table[index], "label": index % 4}


def broken() -> DataLoader[Any]:
    """Each batch of four rows crosses from a worker."""
    return DataLoader(Rows(), batch_size=4, num_workers=2)


def fixed() -> DataLoader[Any]:
    """The main process takes the rows itself."""
    return DataLoader(Rows(), batch_size=4)
