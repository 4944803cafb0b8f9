"""Labels for cross entropy."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._classes import CLASSES, loader

INTENT = {"task": "classification"}


def broken() -> DataLoader[Any]:
    """Class labels as int32, of which cross entropy takes none."""
    return loader(lambda index: {"label": torch.tensor(index % CLASSES, dtype=torch.int32)})


def fixed() -> DataLoader[Any]:
    """Class labels as int64."""
    return loader(lambda index: {"label": torch.tensor(index % CLASSES)})


def healthy_two_classes() -> DataLoader[Any]:
    """Two classes as floats, for binary cross entropy."""
    return loader(lambda index: {"label": torch.tensor(float(index % 2))})


def healthy_areas() -> DataLoader[Any]:
    """Of each box its class, its area in real numbers, and whether it is a crowd, as in COCO."""

    def target(index: int) -> dict[str, Any]:
        count = 1 + index % 3
        corners = torch.arange(count * 2.0).reshape(count, 2) + index % 5
        sizes = torch.arange(count * 2.0).reshape(count, 2) + 3 + index % 4
        return {
            "boxes": torch.cat([corners, corners + sizes], dim=1),
            "labels": torch.arange(count) + index % (CLASSES - 2),
            "area": sizes.prod(dim=1),
            "iscrowd": torch.zeros(count, dtype=torch.int64),
        }

    def collate(samples: list[dict[str, Any]]) -> Any:
        pictures = torch.rand(len(samples), 3, 32, 32)
        return tuple(pictures), tuple(samples)

    made = loader(target)
    return DataLoader(made.dataset, batch_size=8, collate_fn=collate)
