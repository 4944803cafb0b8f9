"""Fields that say how many images a row has, or of how many patches each is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._patches import INTENT as DECLARED
from tests.zoo._patches import Pictured, Sample, collate, loader, pictures_of

INTENT = DECLARED


class Stated(Pictured):
    """Samples that state how many pictures they have, as a table of annotations says."""

    def __init__(self, count: Callable[[int], int]) -> None:
        super().__init__()
        self.count = count

    def __getitem__(self, index: int) -> Sample:
        return {**super().__getitem__(index), "image_counts": self.count(index)}


def with_counts(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Counts beside the pictures."""
    return {**collate(samples), "image_counts": torch.tensor([one["image_counts"] for one in samples])}


def stale(index: int) -> int:
    """Counts of the time before a picture that cannot be read was taken out."""
    return len(pictures_of(index)) + (index % 20 == 4)


def moved(index: int) -> int:
    """Two rows have each other's number: the total is right."""
    return len(pictures_of(index ^ 1))


def short(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """The patches of the last picture are missing, its grid is there."""
    batch = collate(samples)
    last = int(batch["image_grid_thw"][-1].prod())
    return {**batch, "pixel_values": batch["pixel_values"][:-last]}


def broken() -> DataLoader[Any]:
    """Counts that were made too early."""
    return loader(Stated(stale), with_counts)


def broken_rows() -> DataLoader[Any]:
    """Counts in another order than the rows."""
    return loader(Stated(moved), with_counts)


def broken_patches() -> DataLoader[Any]:
    """Fewer patches than the grids say."""
    return loader(collate_fn=short)


def fixed() -> DataLoader[Any]:
    """Counts of what is there."""
    return loader(Stated(lambda index: len(pictures_of(index))), with_counts)
