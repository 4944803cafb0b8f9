"""Samples that wait for storage, read one after the other because no worker was asked for."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"time_budget_s": 10.0}
OPTIONS = {"workers": [0, 1, 4], "prefetch": [2], "loader_batches": 8}


class Remote(Dataset[dict[str, Any]]):
    """256 rows, each the answer of a store that is far away."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        time.sleep(0.015)
        return {"row": torch.rand(8, generator=torch.Generator().manual_seed(index)), "label": index % 4}


def broken() -> DataLoader[Any]:
    """One request at a time."""
    return DataLoader(Remote(), batch_size=4)


def fixed() -> DataLoader[Any]:
    """Four at a time; there is nothing faster among the settings that were asked for."""
    return DataLoader(Remote(), batch_size=4, num_workers=4)


def healthy_rows_in_memory() -> DataLoader[Any]:
    """Indexing memory is fastest without workers."""
    rows = [{"row": torch.full((8,), float(i)), "label": i % 4} for i in range(256)]
    return DataLoader(rows, batch_size=4)  # type: ignore[arg-type]
