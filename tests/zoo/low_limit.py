"""A batch of very many small tensors, on a machine that allows few open files."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

OPTIONS = {"open_files": 256}
"""What `ulimit -n` says on many desktop systems."""


class Boxes(Dataset[dict[str, Any]]):
    """32 samples of six small fields."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        generator = torch.Generator().manual_seed(index)
        return {f"part{number}": torch.rand(4, generator=generator) for number in range(6)}


def as_list(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave every tensor on its own."""
    return samples


def broken() -> DataLoader[Any]:
    """48 tensors a batch, 8 batches in flight."""
    return DataLoader(Boxes(), batch_size=8, num_workers=2, prefetch_factor=4, collate_fn=as_list)


def fixed() -> DataLoader[Any]:
    """Stacked, a batch has six."""
    return DataLoader(Boxes(), batch_size=8, num_workers=2, prefetch_factor=4, collate_fn=default_collate)
