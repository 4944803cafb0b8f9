"""Classes that somebody counted from 1."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._classes import CLASSES, loader, mask

INTENT = {"num_classes": CLASSES, "ignore_index": 255}


def broken() -> DataLoader[Any]:
    """Labels from 1 to 5."""
    return loader(lambda index: {"label": 1 + index % CLASSES})


def fixed() -> DataLoader[Any]:
    """Labels from 0 to 4."""
    return loader(lambda index: {"label": index % CLASSES})


def healthy_void() -> DataLoader[Any]:
    """The declared void label."""
    return loader(lambda index: {"segmentation": mask(index, void=255)})


def healthy_unnamed() -> DataLoader[Any]:
    """Whole numbers from 1 to 5 that nothing calls classes: they may be stars, and are told as a note."""
    return loader(lambda index: {"b": 1 + index * 7 % 11 % CLASSES})
