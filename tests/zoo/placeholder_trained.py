"""Pictures stand in the text as runs of one id."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import IGNORED, Chats, Sample, loader, turn

IMAGE = 7
INTENT = {"image_token_id": (IMAGE,)}


def pictured(number: int, ignored: bool) -> Sample:
    """A picture of 16 placeholders in the middle of a text that is learned as a whole."""
    one = turn(number)
    ids = [*one.prompt, *[IMAGE] * 16, *one.answer]
    labels = [IGNORED if token == IMAGE and ignored else token for token in ids]
    return {"input_ids": ids, "labels": labels}


def broken() -> DataLoader[Any]:
    """Labels are a copy of the ids."""
    return loader(Chats(make=lambda number: pictured(number, ignored=False)))


def fixed() -> DataLoader[Any]:
    """Placeholders are ignored."""
    return loader(Chats(make=lambda number: pictured(number, ignored=True)))
