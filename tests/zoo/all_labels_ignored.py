"""Rows without one token that is trained, for four reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import (
    EOS,
    IGNORED,
    MARKER,
    WORDS,
    Chats,
    Sample,
    collate,
    loader,
    sample,
    turn,
    words,
)  # fmt: skip

INTENT = {"eos_id": EOS}


class Prompts(Chats):
    """Every second prompt is long; conversations are cut at `max_length`."""

    def __init__(self, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < len(self):
            raise IndexError(index)
        one = turn(index, prompt=28 if index % 2 else 20)
        made = {"input_ids": one.prompt + one.answer, "labels": [IGNORED] * len(one.prompt) + one.answer}
        return {name: row[: self.max_length] for name, row in made.items()}


def broken() -> DataLoader[Any]:
    """Long prompts fill the limit, and their answers are cut off."""
    return loader(Prompts(max_length=30))


def fixed() -> DataLoader[Any]:
    """Everything fits."""
    return loader(Prompts(max_length=64))


class AnswersOnly:
    """Ignores what stands before the marker, as completion-only collators do."""

    def __init__(self, response_template: list[int]) -> None:
        self.response_template = response_template

    def __call__(self, samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        batch = collate(samples)
        labels = batch["labels"].clone()
        for row, one in enumerate(samples):
            at = self._find(one["input_ids"])
            labels[row, : len(one["input_ids"]) if at is None else at] = IGNORED
        return {**batch, "labels": labels}

    def _find(self, ids: list[int]) -> int | None:
        size = len(self.response_template)
        places = [at for at in range(len(ids) - size + 1) if ids[at : at + size] == self.response_template]
        return places[0] + size if places else None


def in_context(number: int) -> Sample:
    """The marker is two tokens here, of which the first is another one behind a word."""
    prompt = [*words(2 * number, 8 + number % 3), 12, MARKER]
    answer = [*words(2 * number + 1, 9), EOS]
    return {"input_ids": prompt + answer, "labels": prompt + answer}


def broken_template() -> DataLoader[Any]:
    """The marker was tokenised on its own, and its first id is another one inside a conversation."""
    return loader(Chats(make=in_context), AnswersOnly([11, MARKER]))


def fixed_template() -> DataLoader[Any]:
    """The marker as it stands in the conversation."""
    return loader(Chats(make=in_context), AnswersOnly([12, MARKER]))


def talk(number: int, drift: int) -> Sample:
    """One or three turns; the code that masks counts `drift` tokens more a turn, and gives up where that shows."""
    several = number % 4 == 0
    turns = [turn(5 * number + step) for step in range(3)] if several else [turn(5 * number, 28, 26)]
    ids, labels, counted = [], [], 0
    for one in turns:
        ids += one.prompt + one.answer
        labels += [IGNORED] * len(one.prompt) + one.answer
        counted += len(one.prompt) + len(one.answer) + drift * (len(turns) > 1)
    return {"input_ids": ids, "labels": labels if counted == len(ids) else [IGNORED] * len(ids)}


def broken_turns() -> DataLoader[Any]:
    """Conversations of several turns are given up as a whole."""
    return loader(Chats(make=lambda number: talk(number, drift=1)), batch=16)


def fixed_turns() -> DataLoader[Any]:
    """The same count on both sides."""
    return loader(Chats(make=lambda number: talk(number, drift=0)), batch=16)


def broken_before() -> DataLoader[Any]:
    """The dataset masks all of every sixteenth sample."""

    def masked(number: int) -> Sample:
        one = sample(number)
        return {**one, "labels": [IGNORED] * len(one["labels"])} if number % 16 == 5 else one

    return loader(Chats(make=masked))


def healthy_short_answers() -> DataLoader[Any]:
    """Answers of one token and its end."""

    def short(number: int) -> Sample:
        one = turn(number)
        return {
            "input_ids": [*one.prompt, WORDS + number, EOS],
            "labels": [IGNORED] * len(one.prompt) + [WORDS + number, EOS],
        }

    return loader(Chats(make=short))
