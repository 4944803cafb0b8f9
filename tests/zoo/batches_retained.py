"""A training step that keeps something of each batch for the end of the epoch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

LIMITS = {"time_budget_s": 30.0}
INTENT = {"step": f"{Path(__file__)}:step"}
KEPT: deque[Any] = deque()


class Pictures(Dataset[dict[str, Any]]):
    """128 pictures of 64 x 64 pixels."""

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {
            "image": torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(int(index))),
            "label": index % 4,
        }


def step(batch: dict[str, torch.Tensor]) -> float:
    """Keep the labels of the last batches, as many as `KEPT` takes."""
    KEPT.append(batch["label"])
    return float(batch["image"].mean())


class Recorder:
    """A loader around a loader, which remembers what it has handed on."""

    def __init__(self, loader: DataLoader[Any], most: int | None) -> None:
        self.loader = loader
        self.dataset = loader.dataset
        self.batch_size = loader.batch_size
        self.past: deque[Any] = deque(maxlen=most)

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Any:
        for batch in self.loader:
            self.past.append(batch)
            yield batch


def _loader(most: int | None) -> DataLoader[Any]:
    global KEPT  # noqa: PLW0603 - as scripts do
    KEPT = deque(maxlen=most)
    return DataLoader(Pictures(), batch_size=4, num_workers=1, persistent_workers=True)


def broken() -> DataLoader[Any]:
    """The labels of all batches are kept, each in shared memory with a descriptor."""
    return _loader(None)


def fixed() -> DataLoader[Any]:
    """Those of the last four are."""
    return _loader(4)


def broken_around_the_loader() -> Recorder:
    """The loader's own wrapper keeps the batches."""
    return Recorder(_loader(4), None)


def healthy_last_batches() -> Recorder:
    """The wrapper keeps the last two."""
    return Recorder(_loader(4), 2)


class Episodes(Sampler[torch.Tensor]):
    """Twenty episodes of six pictures, each a tensor of indices, as for learning from few examples."""

    def __len__(self) -> int:
        return 20

    def __iter__(self) -> Iterator[torch.Tensor]:
        for _ in range(len(self)):
            yield torch.randperm(128)[:6]


def healthy_indices_as_tensors() -> DataLoader[Any]:
    """Workers are sent tensors, which moves them into shared memory; nobody keeps one."""
    _loader(4)
    return DataLoader(Pictures(), batch_sampler=Episodes(), num_workers=2)  # type: ignore[arg-type]
