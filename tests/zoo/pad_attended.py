"""Texts padded before their beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import PAD, Chats, Sample, collate, loader, sample


def all_ones(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """A mask that never heard of padding."""
    batch = collate(samples, left=True)
    return {**batch, "attention_mask": torch.ones_like(batch["attention_mask"])}


def left(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """The mask is off on padding."""
    return collate(samples, left=True)


def broken() -> DataLoader[Any]:
    """The mask is on everywhere."""
    return loader(Chats(), all_ones)


def fixed() -> DataLoader[Any]:
    """The mask is on for the text."""
    return loader(Chats(), left)


def healthy_pad_id_inside() -> DataLoader[Any]:
    """The pad id is a word inside the text, and rightly attended to."""

    def with_word(number: int) -> Sample:
        one = sample(number)
        one["input_ids"][3] = PAD
        return one

    return loader(Chats(make=with_word))
