"""Labels that are masked with one value and padded with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import IGNORED, Chats, Sample, collate, loader, padded, turn


def masked(number: int, value: int) -> Sample:
    """Mask the prompt with a value."""
    one = turn(number)
    return {"input_ids": one.prompt + one.answer, "labels": [value] * len(one.prompt) + one.answer}


def broken() -> DataLoader[Any]:
    """Prompts are masked with -1, and padding with -100."""
    return loader(Chats(make=lambda number: masked(number, -1)))


def fixed() -> DataLoader[Any]:
    """Both with -100."""
    return loader(Chats(make=lambda number: masked(number, IGNORED)))


def healthy_minus_one() -> DataLoader[Any]:
    """Both with -1, which the user's own loss may ignore: a note with both readings."""

    def pad(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        return {**collate(samples), "labels": padded([one["labels"] for one in samples], -1)}

    return loader(Chats(make=lambda number: masked(number, -1)), pad)
