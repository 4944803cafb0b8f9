"""A mask that is made for labels at their own position."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import IGNORED, Chats, Sample, loader, turn


def masked(number: int, late: int) -> Sample:
    """Ignore the prompt, and `late` tokens more."""
    one = turn(number)
    ids = one.prompt + one.answer
    start = len(one.prompt) + late
    return {"input_ids": ids, "labels": [IGNORED] * start + ids[start:], "prompt_length": len(one.prompt)}


def broken() -> DataLoader[Any]:
    """The mask was moved with the labels."""
    return loader(Chats(make=lambda number: masked(number, late=1)))


def fixed() -> DataLoader[Any]:
    """Targets begin where the prompt ends."""
    return loader(Chats(make=lambda number: masked(number, late=0)))


def _without_length(number: int) -> Sample:
    one = masked(number, late=1)
    return {name: one[name] for name in ("input_ids", "labels")}


def broken_by_marker() -> DataLoader[Any]:
    """Nothing states where answers begin, but the marker always stands one token before the targets."""
    return loader(Chats(make=_without_length))
