"""Rows are cut at a number of tokens, the pictures are not."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._patches import EOS, IMAGE, Pictured, Sample, collate, loader, padded, sample
from tests.zoo._patches import INTENT as DECLARED

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


def last(number: int) -> Sample:
    """One picture behind the words, for which one id stands; some texts are long."""
    text = [40 + (5 * number + at) % 30 for at in range(34 if number % 8 == 3 else 26)]
    picture = torch.rand(3, 28, 28, generator=torch.Generator().manual_seed(number))
    return {"input_ids": [*text, IMAGE, EOS], "image": picture}


class PicturesLast(Pictured):
    """No patches: the model itself puts features in place of the id."""

    def __init__(self) -> None:
        super().__init__(make=last)

    def __getitem__(self, index: int) -> Sample:
        return self.make(index)


def stacked(samples: list[Sample], limit: int) -> dict[str, Any]:
    """Cut the ids, and stack the pictures."""
    ids = [one["input_ids"][:limit] for one in samples]
    return {
        "input_ids": padded(ids),
        "attention_mask": padded([[1] * len(row) for row in ids]),
        "images": torch.stack([one["image"] for one in samples]),
    }


def broken_picture_lost() -> DataLoader[Any]:
    """Each picture stays its own row's: what was cut is told, and no row seems to have two."""
    return loader(PicturesLast(), partial(stacked, limit=LIMIT))


def healthy_picture_last() -> DataLoader[Any]:
    """Nothing is as long as the limit."""
    return loader(PicturesLast(), partial(stacked, limit=64))
