"""A stream that refills its shuffle buffer all at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

LIMITS = {"batches": 72}


class Stream(IterableDataset[torch.Tensor]):
    """600 rows; a buffer of 48 is refilled whenever it is empty."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once

    def __iter__(self) -> Iterator[torch.Tensor]:
        buffer: list[int] = []
        for start in range(0, 600, 48):
            buffer = self.refill(start)
            for number in buffer:
                yield torch.full((16,), float(number)) + 0.01 * torch.randn(16)

    def refill(self, start: int) -> list[int]:
        """Fetch the next rows."""
        if self.at_once:
            time.sleep(0.12)
        return list(range(start, min(600, start + 48)))


def broken() -> DataLoader[Any]:
    """Every sixth batch waits for the buffer."""
    return DataLoader(Stream(at_once=True), batch_size=8)


def fixed() -> DataLoader[Any]:
    """The buffer is filled elsewhere."""
    return DataLoader(Stream(at_once=False), batch_size=8)
