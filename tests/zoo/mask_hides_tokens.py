"""An attention mask for texts in which the end token also separates sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import EOS, IGNORED, Chats, Sample, collate, loader, turn


def sentences(number: int) -> Sample:
    """Two turns, each with its end."""
    first, last = turn(2 * number), turn(2 * number + 1)
    return {
        "input_ids": first.prompt + first.answer + last.prompt[1:] + last.answer,
        "labels": [IGNORED] * len(first.prompt)
        + first.answer
        + [IGNORED] * len(last.prompt[1:])
        + last.answer,
    }


def from_ids(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Whatever is the pad id, which is the end token here, is taken for padding."""
    batch = collate(samples, pad=EOS)
    return {**batch, "attention_mask": (batch["input_ids"] != EOS).long()}


def from_lengths(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """The mask is made from lengths."""
    return collate(samples, pad=EOS)


def broken() -> DataLoader[Any]:
    """The mask compares ids with the pad id."""
    return loader(Chats(make=sentences), from_ids)


def fixed() -> DataLoader[Any]:
    """The mask knows the lengths."""
    return loader(Chats(make=sentences), from_lengths)
