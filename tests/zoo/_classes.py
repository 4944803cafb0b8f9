"""Small images with a class each, or with a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

CLASSES = 5


class Pictures(Dataset[dict[str, Any]]):
    """Forty noisy images; `label` makes what stands beside them."""

    def __init__(self, label: Callable[[int], dict[str, Any]]) -> None:
        self.label = label

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < 40:
            raise IndexError(index)
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))
        return {"image": image, **self.label(index)}


def loader(label: Callable[[int], dict[str, Any]]) -> DataLoader[Any]:
    """Return the loader."""
    return DataLoader(Pictures(label), batch_size=8)


def mask(index: int, void: int | None = None) -> torch.Tensor:
    """A mask of all classes, with a void border on request."""
    made = torch.randint(0, CLASSES, (16, 16), generator=torch.Generator().manual_seed(index))
    if void is not None:
        made[0] = void
    return made
