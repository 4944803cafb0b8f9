"""A dataset that masks prompts, and a collate that has a mind of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import BOS, IGNORED, Chats, Sample, collate, loader, sample, turn, whole, words

STEP = 11


def made_anew(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Labels are the ids without padding, as a language-modelling collator makes them."""
    batch = collate(samples)
    return {**batch, "labels": batch["input_ids"].masked_fill(batch["attention_mask"] == 0, IGNORED)}


def broken() -> DataLoader[Any]:
    """The collate makes labels from the ids."""
    return loader(Chats(), made_anew)


def fixed() -> DataLoader[Any]:
    """The collate pads the labels of the samples."""
    return loader(Chats(), collate)


def with_mask(number: int) -> Sample:
    """The sample says which tokens are the assistant's."""
    one = turn(number)
    return {
        "input_ids": one.prompt + one.answer,
        "assistant_mask": [0] * len(one.prompt) + [1] * len(one.answer),
    }


def broken_mask_lost() -> DataLoader[Any]:
    """The collate makes labels from the ids, and the mask reaches no batch."""

    def lose(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        return made_anew([{**one, "labels": one["input_ids"]} for one in samples])

    return loader(Chats(make=with_mask), lose)


def healthy_mask_used() -> DataLoader[Any]:
    """The collate makes labels from ids and mask."""

    def use(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        return collate(
            [
                {
                    "input_ids": one["input_ids"],
                    "labels": [
                        token if mine else IGNORED
                        for token, mine in zip(one["input_ids"], one["assistant_mask"], strict=True)
                    ],
                }
                for one in samples
            ]
        )

    return loader(Chats(make=with_mask), use)


def healthy_full_sequence() -> DataLoader[Any]:
    """Nothing was masked, and nothing is."""
    return loader(Chats(make=whole), made_anew)


def healthy_more_masked() -> DataLoader[Any]:
    """The collate masks more than the samples do."""

    def more(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        return collate([{**one, "labels": sample(number)["labels"]} for number, one in enumerate(samples)])

    return loader(Chats(rows=8, make=whole), more)


def healthy_steps() -> DataLoader[Any]:
    """A process reward: the token that ends a step is labelled with one of two verdicts, and nothing else is."""

    def steps(number: int) -> Sample:
        ids = [BOS, *words(number, 12)]
        labels = [IGNORED] * 13
        for step in range(2 + number % 3):
            ids += [*words(50 * number + step, 6), STEP]
            labels += [*[IGNORED] * 6, STEP + 1 + (number + step) % 2]
        return {"input_ids": ids, "labels": labels}

    return loader(Chats(make=steps))
