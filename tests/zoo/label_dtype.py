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
