"""Fields of one text that are padded to one width, each for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader, default_collate

from tests.zoo._chat import EOS, IGNORED, PAD, Chats, Sample, loader, padded, turn, words
from tests.zoo._pairs import collate_pairs, pair


def text(number: int, forgotten: bool) -> Sample:
    """The mask may lack the end token, which was added afterwards."""
    one = turn(number)
    ids = one.prompt + one.answer
    return {
        "input_ids": ids,
        "attention_mask": [1] * (len(ids) - forgotten),
        "labels": [IGNORED] * len(one.prompt) + one.answer[: len(one.answer) - forgotten],
    }


def pad_each(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Bring every field to the width of the ids."""
    width = max(len(one["input_ids"]) for one in samples)
    fill = {"input_ids": PAD, "attention_mask": 1, "labels": IGNORED}
    made = {name: padded([one[name] for one in samples], value, width=width) for name, value in fill.items()}
    return {**made, "attention_mask": made["attention_mask"] * (made["input_ids"] != PAD)}


def broken() -> DataLoader[Any]:
    """The end token was added to the ids alone."""
    return loader(Chats(make=lambda number: text(number, forgotten=True)), pad_each)


def fixed() -> DataLoader[Any]:
    """It was added everywhere."""
    return loader(Chats(make=lambda number: text(number, forgotten=False)), pad_each)


def healthy_translation() -> DataLoader[Any]:
    """An encoder-decoder batch: labels are another text."""

    def pair(number: int) -> Sample:
        return {
            "input_ids": [*words(2 * number, 18 + number % 3), EOS],
            "labels": [*words(2 * number + 1, 12 + number % 2), EOS],
        }

    def pad(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        ids = [one["input_ids"] for one in samples]
        return {
            "input_ids": padded(ids, PAD),
            "attention_mask": padded([[1] * len(row) for row in ids], 0),
            "labels": padded([one["labels"] for one in samples], IGNORED),
        }

    return loader(Chats(make=pair), pad)


def healthy_preference_pairs() -> DataLoader[Any]:
    """Two texts a sample, each padded to its own longest: the widths differ by little, or not."""
    return loader(Chats(make=pair), collate_pairs, batch=4)


INTENT = {"eos_id": EOS}
ALSO = {"DL302"}
"""The label of the end token is missing too, which is the harm that this fault does."""


def healthy_mask_of_the_decoder() -> DataLoader[Any]:
    """The dataset pads source and target to widths of their own, and each has its mask."""

    def item(number: int) -> Sample:
        ids, target = words(2 * number, 18 + number % 3), words(2 * number + 1, 9 + number % 2)
        made = {
            "input_ids": [*ids, EOS] + [PAD] * (21 - len(ids)),
            "attention_mask": [1] * (len(ids) + 1) + [0] * (21 - len(ids)),
            "labels": [*target, EOS] + [IGNORED] * (11 - len(target)),
            "decoder_attention_mask": [1] * (len(target) + 1) + [0] * (11 - len(target)),
        }
        return {name: torch.tensor(row) for name, row in made.items()}

    return loader(Chats(make=item), default_collate)
