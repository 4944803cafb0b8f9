"""Answers of which the model never learns that they end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader, default_collate

from tests.zoo._chat import EOS, IGNORED, Chats, Sample, collate, loader, sample, turn, whole
from tests.zoo._packs import Packs
from tests.zoo._pairs import collate_pairs, pair

INTENT = {"eos_id": EOS}


def ignore_padding(samples: Sequence[Sample], pad: int) -> dict[str, torch.Tensor]:
    """Ignore every label that is the pad id, as language-modelling collators do."""
    batch = collate(samples, pad=pad)
    return {**batch, "labels": batch["labels"].masked_fill(batch["labels"] == pad, IGNORED)}


def broken() -> DataLoader[Any]:
    """The pad id is the end token."""
    return loader(Chats(), partial(ignore_padding, pad=EOS))


def fixed() -> DataLoader[Any]:
    """Padding has an id of its own."""
    return loader(Chats(), partial(ignore_padding, pad=0))


def without_end(number: int) -> Sample:
    """Forget the end token."""
    one = sample(number)
    return {name: row[:-1] for name, row in one.items()}


def broken_absent() -> DataLoader[Any]:
    """No answer has an end token."""
    return loader(Chats(make=without_end))


def cut(number: int, limit: int = 16) -> Sample:
    """Cut all fields at the limit."""
    return {name: row[:limit] for name, row in sample(number).items()}


class Cut(Chats):
    """Cuts conversations at `max_length`."""

    def __init__(self, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length

    def __getitem__(self, index: int) -> Sample:
        return {name: row[: self.max_length] for name, row in super().__getitem__(index).items()}


def broken_truncated() -> DataLoader[Any]:
    """The limit leaves a part of each answer, and the end of none."""
    return loader(Cut(max_length=16))


def healthy_lengths() -> DataLoader[Any]:
    """Padding is the end token, and labels and mask are made from lengths."""
    return loader(Chats(), partial(collate, pad=EOS))


def healthy_whole_text() -> DataLoader[Any]:
    """Whole texts are learned, with their end."""
    return loader(Chats(make=whole))


def healthy_last_turn_only() -> DataLoader[Any]:
    """Two turns, of which only the last is trained: the first end is ignored on purpose."""

    def two(number: int) -> Sample:
        first, last = turn(2 * number), turn(2 * number + 1)
        before = first.prompt + first.answer + last.prompt[1:]
        return {"input_ids": before + last.answer, "labels": [IGNORED] * len(before) + last.answer}

    return loader(Chats(make=two))


def broken_rejected() -> DataLoader[Any]:
    """Chosen answers end, and rejected ones do not."""
    return loader(Chats(make=partial(pair, rejected_ends=False)), collate_pairs)


def healthy_pairs() -> DataLoader[Any]:
    """Both sides end."""
    return loader(Chats(make=pair), collate_pairs)


def broken_packed() -> DataLoader[Any]:
    """Rows are packed and padded by the dataset; every label that is the pad id is ignored."""
    return loader(Packs(pad=EOS, ignore_pad=True), batch=4, collate_fn=default_collate)


def healthy_packed() -> DataLoader[Any]:
    """The same padding, with labels made from the lengths."""
    return loader(Packs(pad=EOS), batch=4, collate_fn=default_collate)
