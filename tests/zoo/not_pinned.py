"""A batch type of the user's own that pinning passes by."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 8}


class Rows(Dataset[torch.Tensor]):
    """64 rows with a little noise."""

    def __init__(self) -> None:
        self.rows = torch.randn(64, 16, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.rows[index] + 0.01 * torch.randn(16)


class Batch:
    """A batch as an object."""

    def __init__(self, rows: list[torch.Tensor]) -> None:
        self.inputs = torch.stack(rows)
        self.targets = self.inputs.sum(dim=1)


class PinnableBatch(Batch):
    """The same, with the method that the loader looks for."""

    def pin_memory(self) -> PinnableBatch:
        """Pin what it holds."""
        self.inputs, self.targets = self.inputs.pin_memory(), self.targets.pin_memory()
        return self


def broken() -> DataLoader[Any]:
    """Nobody pins these."""
    return DataLoader(Rows(), batch_size=8, num_workers=1, pin_memory=True, collate_fn=Batch)


def fixed() -> DataLoader[Any]:
    """It pins itself."""
    return DataLoader(Rows(), batch_size=8, num_workers=1, pin_memory=True, collate_fn=PinnableBatch)
