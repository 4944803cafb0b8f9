"""Packed texts whose positions begin anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, Sample, loader, packed


def with_ones(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Add the mask that trainers always add."""
    batch = packed(samples)
    return {**batch, "attention_mask": torch.ones_like(batch["input_ids"])}


def broken() -> DataLoader[Any]:
    """A mask of ones beside positions that begin anew."""
    return loader(Chats(), with_ones)


def fixed() -> DataLoader[Any]:
    """No mask."""
    return loader(Chats(), packed)
