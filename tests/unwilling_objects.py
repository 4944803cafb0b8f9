"""Loaders that hold objects whose attributes, length, truth or equality raise. Not collected as tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import torch
from torch.utils.data import DataLoader, Dataset


class _NeedsPackage(type):
    """Of classes that stand for a package which is not installed."""

    def __getattribute__(cls, key: str) -> Any:
        if key.startswith("_"):
            return super().__getattribute__(key)
        raise ImportError(f"{cls.__name__} needs a package that is not installed")


class NotInstalled(metaclass=_NeedsPackage):
    """Asked for anything, its class raises."""


class Client:
    """A client of a service that is down."""

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no connection for {name}")

    def __len__(self) -> int:
        raise RuntimeError("no connection")

    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")

    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    def __repr__(self) -> str:
        raise RuntimeError("no connection")

    def __iter__(self) -> Iterator[int]:
        while True:
            yield 0


class ClosedArray:
    """An array in a file that was closed."""

    __slots__ = ("name", "never_set")

    @property
    def shape(self) -> tuple[int, ...]:
        """Raise."""
        raise OSError("closed")

    @property
    def dtype(self) -> str:
        """Raise."""
        raise OSError("closed")

    @property
    def nbytes(self) -> int:
        """Raise."""
        raise OSError("closed")


CLIENT = Client()
MANY = [CLIENT, NotInstalled, ClosedArray(), MagicMock()]
BY_NAME = {"client": CLIENT, "class": NotInstalled, 3: ClosedArray()}


class Rows(Dataset[dict[str, Any]]):
    """Ordinary rows, beside such objects."""

    shared = CLIENT

    def __init__(self) -> None:
        self.client = Client()
        self.processor = NotInstalled
        self.array = ClosedArray()
        self.mock = MagicMock()
        self.many = list(MANY)
        self.by_name = dict(BY_NAME)
        self.x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {"x": self.x[index], "y": index % 4}


class RowsOfObjects(Rows):
    """Such objects in the rows themselves."""

    def __getitem__(self, index: int) -> dict[str, Any]:
        objects = {"client": Client(), "array": ClosedArray(), "mock": MagicMock(), "kind": NotInstalled}
        return {**super().__getitem__(index), **objects}


class Collate:
    """Stacks what can be stacked."""

    def __init__(self) -> None:
        self.client = Client()
        self.tokenizer = MagicMock()

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        stacked = {
            "x": torch.stack([row["x"] for row in rows]),
            "y": torch.tensor([row["y"] for row in rows]),
        }
        return {**{key: [row[key] for row in rows] for key in rows[0]}, **stacked}


def make_loader() -> DataLoader[Any]:
    """Give rows from two workers."""
    return DataLoader(Rows(), batch_size=8, shuffle=True, num_workers=2, collate_fn=Collate())


def make_loader_of_samples() -> DataLoader[Any]:
    """Give rows that hold such objects."""
    return DataLoader(RowsOfObjects(), batch_size=8, shuffle=True, collate_fn=Collate())
