"""Sensor rows in half precision, of which some come from a cache in single precision."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset[dict[str, Any]]):
    """Half precision from the recorder; every tenth row comes from the cache."""

    def __init__(self, cached: torch.dtype) -> None:
        self.cached = cached

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        values = torch.randn(24, generator=torch.Generator().manual_seed(index))
        dtype = self.cached if index % 10 == 4 else torch.float16
        return {"values": values.to(dtype), "label": index % 3}


def broken() -> DataLoader[Any]:
    """Batches are float16 or float32, as their rows happen to be."""
    return DataLoader(Rows(cached=torch.float32), batch_size=5)


def fixed() -> DataLoader[Any]:
    """One dtype on both paths."""
    return DataLoader(Rows(cached=torch.float16), batch_size=5)


class Prices(Dataset[dict[str, Any]]):
    """House prices of which whole ones were parsed as integers."""

    def __init__(self, parse: type[int | float]) -> None:
        self.parse = parse

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        rooms = torch.randn(6, generator=torch.Generator().manual_seed(index))
        price = self.parse(2 + index) if index % 8 == 3 else 2.5 + index
        return {"rooms": rooms, "price": price}


def to_float(samples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Cast every price on purpose."""
    prices = torch.tensor([float(sample["price"]) for sample in samples], dtype=torch.float32)
    return {"rooms": torch.stack([sample["rooms"] for sample in samples]), "price": prices}


def healthy_cast_in_collate() -> DataLoader[Any]:
    """Whole and broken numbers that the collate makes one dtype of."""
    return DataLoader(Prices(int), batch_size=8, collate_fn=to_float)


def with_path(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Stack the values; sizes are kept beside the batch as they are."""
    batch = to_float(samples)
    return {**batch, "source": [sample["price"] for sample in samples]}


def healthy_metadata() -> DataLoader[Any]:
    """The same numbers kept in a list beside the batch."""
    return DataLoader(Prices(int), batch_size=8, collate_fn=with_path)
