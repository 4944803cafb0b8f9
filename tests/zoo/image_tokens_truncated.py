"""Rows are cut at a number of tokens, the pictures are not."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._patches import INTENT as DECLARED
from tests.zoo._patches import Pictured, Sample, collate, loader, sample

INTENT = DECLARED
LIMIT = 30


class Cut:
    """A collate with a limit."""

    def __init__(self, max_length: int) -> None:
        self.max_length = max_length

    def __call__(self, samples: list[Sample]) -> dict[str, Any]:
        """Cut the ids, and keep all patches."""
        return collate(samples, limit=self.max_length)


def cut_before(number: int) -> Sample:
    """The dataset cuts, and nobody says where."""
    made = sample(number)
    return {**made, "input_ids": made["input_ids"][:LIMIT]}


def broken() -> DataLoader[Any]:
    """The limit lies within pictures."""
    return loader(collate_fn=Cut(LIMIT))


def broken_in_dataset() -> DataLoader[Any]:
    """Only the rows themselves tell."""
    return loader(Pictured(make=cut_before))


def fixed() -> DataLoader[Any]:
    """Room for every picture."""
    return loader(collate_fn=Cut(96))


def healthy_words_cut() -> DataLoader[Any]:
    """What is cut are words behind the last picture."""

    def long(number: int) -> Sample:
        made = sample(number)
        return {**made, "input_ids": [*made["input_ids"], *range(20, 110)]}

    return loader(Pictured(make=long), Cut(70))
