"""Rows that are unpacked in every epoch, always to the same."""

from __future__ import annotations

import zlib
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 8}


class Packed(Dataset[torch.Tensor]):
    """64 rows of 4 MB when unpacked, of which the beginning is used."""

    def __init__(self, kept: bool) -> None:
        self.packed = [zlib.compress(bytes([number]) * 4_000_000, 1) for number in range(8)]
        self.rows = [self.unpack(number) for number in range(64)] if kept else None

    def __len__(self) -> int:
        return 64

    def unpack(self, index: int) -> torch.Tensor:
        """Unpack a row."""
        data = zlib.decompress(self.packed[index % 8])
        return torch.tensor([data[0], len(data) % 255, index], dtype=torch.float32)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.rows[index].clone() if self.rows is not None else self.unpack(index)


def broken() -> DataLoader[Any]:
    """Unpacks each row each time."""
    return DataLoader(Packed(kept=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """Unpacks each row once."""
    return DataLoader(Packed(kept=True), batch_size=8)
