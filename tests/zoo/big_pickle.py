"""A dataset that carries the contents of its files, with workers that are spawned."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 8}


class Files(Dataset[torch.Tensor]):
    """64 rows, with or without the files that they come from."""

    def __init__(self, contents: bool) -> None:
        self.rows = torch.randn(64, 16, generator=torch.Generator().manual_seed(0))
        self.contents = [bytes([number % 250]) * 1_200_000 for number in range(90)] if contents else []

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.rows[index] + 0.01 * torch.randn(16)


def loader(contents: bool) -> DataLoader[Any]:
    """Return the loader with one spawned worker that stays."""
    return DataLoader(
        Files(contents), batch_size=8, num_workers=1, persistent_workers=True, multiprocessing_context="spawn"
    )


def broken() -> DataLoader[Any]:
    """108 MB go to each worker."""
    return loader(contents=True)


def fixed() -> DataLoader[Any]:
    """The worker would open the files."""
    return loader(contents=False)
