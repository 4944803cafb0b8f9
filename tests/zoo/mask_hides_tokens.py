"""An attention mask for texts in which the end token also separates sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader, default_collate

from tests.zoo._chat import EOS, IGNORED, Chats, Sample, collate, loader, padded, turn
from tests.zoo._packs import Packs


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


def healthy_packed_rows_padded_with_the_end_token() -> DataLoader[Any]:
    """The dataset packs and pads: document number 0, position 0 and ignored labels on the padding."""
    return loader(Packs(pad=EOS), batch=4, collate_fn=default_collate)


def healthy_padded_to_one_length() -> DataLoader[Any]:
    """The dataset pads each text to one length with the end token, as `padding="max_length"` does."""

    def filled(number: int) -> Sample:
        one = sentences(number)
        rest = 48 - len(one["input_ids"])
        return {
            "input_ids": torch.tensor(one["input_ids"] + [EOS] * rest),
            "labels": torch.tensor(one["labels"] + [IGNORED] * rest),
            "attention_mask": torch.tensor([1] * len(one["labels"]) + [0] * rest),
        }

    return loader(Chats(make=filled), batch=4, collate_fn=default_collate)


def broken_start_token() -> DataLoader[Any]:
    """The mask compares ids with 0 where 1 is the padding, and 0 begins each text: wrong on both sides."""

    def begun(number: int) -> Sample:
        one = turn(number)
        return {"input_ids": [0, *one.prompt[1:], *one.answer[:-1], 2], "class": number % 3}

    def compared(samples: Sequence[Sample]) -> tuple[torch.Tensor, ...]:
        ids = padded([one["input_ids"] for one in samples], 1)
        return ids, (ids != 0).long(), torch.tensor([one["class"] for one in samples])

    return loader(Chats(make=begun), compared)
