"""A dataset that loads its annotations as Python objects and lets forked workers read them."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"time_budget_s": 30.0}
ROWS = 400_000
LENGTH = 512


class Annotations(Dataset[dict[str, Any]]):
    """Each sample reads some hundred annotations; they are tuples in a list, or rows of a tensor."""

    def __init__(self, as_objects: bool) -> None:
        if as_objects:
            self.rows: Any = [
                (number + 0.5, number * 3 + 0.25, f"{number:08d}.jpg") for number in range(ROWS)
            ]
        else:
            self.rows = torch.arange(2 * ROWS, dtype=torch.float32).reshape(ROWS, 2)

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        part = self.rows[index::LENGTH]
        boxes = torch.tensor([[row[0], row[1]] for row in part[:400]]) / ROWS
        return {"boxes": boxes[:8], "sums": boxes.sum(0)}


def broken() -> DataLoader[Any]:
    """Reading a tuple writes its reference count."""
    return DataLoader(Annotations(as_objects=True), batch_size=8, num_workers=2, persistent_workers=True)


def fixed() -> DataLoader[Any]:
    """The rows of a tensor have no reference counts."""
    return DataLoader(Annotations(as_objects=False), batch_size=8, num_workers=2, persistent_workers=True)


def healthy_without_workers() -> DataLoader[Any]:
    """Nobody shares pages with anybody."""
    return DataLoader(Annotations(as_objects=True), batch_size=8)
