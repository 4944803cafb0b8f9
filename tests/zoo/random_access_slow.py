"""Rows stored in compressed blocks, read in random order."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 10}


class Blocks(Dataset[torch.Tensor]):
    """320 rows in blocks; the block read last is kept. Unpacking a block takes 0.4 ms a row."""

    def __init__(self, block: int) -> None:
        self.rows = torch.randn(320, 16, generator=torch.Generator().manual_seed(0))
        self.block = block
        self.kept: tuple[int, torch.Tensor] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = index // self.block
        if self.kept is None or self.kept[0] != number:
            self.kept = (number, self.unpacked(number))
        return self.kept[1][index % self.block] + 0.01 * torch.randn(16)

    def unpacked(self, number: int) -> torch.Tensor:
        """Read and unpack a block."""
        if self.block > 1:
            time.sleep(0.0004 * self.block)
        return self.rows[number * self.block : (number + 1) * self.block]


def broken() -> DataLoader[Any]:
    """A block of 32 rows is unpacked for each row."""
    return DataLoader(Blocks(32), batch_size=8, shuffle=True)


def fixed() -> DataLoader[Any]:
    """Each row is a block of its own."""
    return DataLoader(Blocks(1), batch_size=8, shuffle=True)
