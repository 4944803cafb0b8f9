"""Images divided by 255 in NumPy, which makes float64 of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset[dict[str, Any]]):
    """40 pictures of 16 x 16 pixels."""

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = dtype

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        pixels = np.random.default_rng(index).integers(0, 256, (3, 16, 16), dtype=np.uint8)
        scaled = pixels / 255
        return {"image": scaled.astype(self.dtype or scaled.dtype), "label": index % 4}


def broken() -> DataLoader[Any]:
    """uint8 / 255 is float64 in NumPy."""
    return DataLoader(Pictures(), batch_size=8)


def fixed() -> DataLoader[Any]:
    """The same values as float32."""
    return DataLoader(Pictures(dtype=np.float32), batch_size=8)


class Table(Dataset[tuple[Any, int]]):
    """40 rows of 10 columns, as a data frame hands them over."""

    def __init__(self) -> None:
        self.rows = np.random.default_rng(0).normal(size=(40, 10))

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.rows[index], index % 2


def broken_table() -> DataLoader[Any]:
    """Columns of a data frame are float64."""
    return DataLoader(Table(), batch_size=8)


class Stamped(Dataset[dict[str, Any]]):
    """Pictures with a time in seconds, which float32 cannot hold, and a score as a Python float."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))
        return {
            "image": image,
            "timestamp": np.float64(1_700_000_000 + index * 61.25),
            "score": index / 40 + 0.01,
        }


def healthy_timestamps_and_scores() -> DataLoader[Any]:
    """A few doubles per sample cost nothing."""
    return DataLoader(Stamped(), batch_size=8)
