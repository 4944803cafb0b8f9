"""A chat template that prints the start token, and a tokenizer that adds one."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import BOS, EOS, IGNORED, Chats, Sample, loader, sample, turn


def doubled(number: int) -> Sample:
    """Add a start token to a text that begins with one."""
    one = sample(number)
    return {"input_ids": [BOS, *one["input_ids"]], "labels": [IGNORED, *one["labels"]]}


def broken() -> DataLoader[Any]:
    """Both add it."""
    return loader(Chats(make=doubled))


def fixed() -> DataLoader[Any]:
    """Only the template does."""
    return loader(Chats(make=sample))


def broken_end() -> DataLoader[Any]:
    """Two end tokens."""

    def ended(number: int) -> Sample:
        one = sample(number)
        return {"input_ids": [*one["input_ids"], EOS], "labels": [*one["labels"], EOS]}

    return loader(Chats(make=ended))


def healthy_start_before_each_turn() -> DataLoader[Any]:
    """A start token behind the end of each turn, as some templates have it."""

    def turns(number: int) -> Sample:
        first, last = turn(2 * number), turn(2 * number + 1)
        return {
            "input_ids": first.prompt + first.answer + last.prompt + last.answer,
            "labels": [IGNORED] * len(first.prompt)
            + first.answer
            + [IGNORED] * len(last.prompt)
            + last.answer,
        }

    return loader(Chats(make=turns))


def healthy_first_word() -> DataLoader[Any]:
    """Every caption begins with one word, which comes again later: it is no start token."""

    def caption(number: int) -> Sample:
        words = [2, 40 + number % 7, 30 + number % 5, 9 + number % 3, 2, 50 + number % 6, 1]
        return {"input_ids": words, "labels": list(words)}

    return loader(Chats(make=caption))
