"""A length limit that some conversations exceed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import EOS, IGNORED, PAD, Chats, Sample, loader, padded, turn

INTENT = {"eos_id": EOS}


class Limited(Chats):
    """Every eighth answer is long; conversations are cut at `max_length`."""

    def __init__(self, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < len(self):
            raise IndexError(index)
        one = turn(index, answer=30 if index % 8 == 3 else 18)
        made = {"input_ids": one.prompt + one.answer, "labels": [IGNORED] * len(one.prompt) + one.answer}
        return {name: row[: self.max_length] for name, row in made.items()}


def broken() -> DataLoader[Any]:
    """One answer of eight is cut."""
    return loader(Limited(max_length=36))


def fixed() -> DataLoader[Any]:
    """All fit."""
    return loader(Limited(max_length=64))


def healthy_shared_beginnings() -> DataLoader[Any]:
    """A reward batch: accepted and refused answers to one prompt begin alike, and neither is cut."""

    def sides(number: int) -> Sample:
        one, other = turn(number, prompt=24), turn(500 + number)
        return {"chosen": one.prompt + one.answer, "rejected": one.prompt + other.answer}

    def stacked(samples: Sequence[Sample]) -> dict[str, Any]:
        rows = [one[side] for side in ("chosen", "rejected") for one in samples]
        return {"input_ids": padded(rows, PAD), "attention_mask": padded([[1] * len(row) for row in rows], 0)}

    return loader(Chats(make=sides), stacked)
