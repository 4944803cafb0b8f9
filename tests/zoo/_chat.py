"""Small conversations as token ids, and the usual collates; the label zoo is made of them.

Ids: 0 padding, 1 end, 2 start, 9 the marker before an answer, 20 and more words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

PAD, EOS, BOS, MARKER, WORDS = 0, 1, 2, 9, 20
IGNORED = -100
Sample = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One question with its answer; an answer ends with the end token."""

    prompt: list[int]
    answer: list[int]


def words(number: int, count: int) -> list[int]:
    """Return the same words for the same number."""
    made = torch.randint(WORDS, 900, (count,), generator=torch.Generator().manual_seed(number))
    return [int(one) for one in made]


def turn(number: int, prompt: int = 8, answer: int = 8) -> Turn:
    """Return a turn of about so many tokens."""
    question = [BOS, *words(2 * number, prompt + number % 3), MARKER]
    return Turn(question, [*words(2 * number + 1, answer + number % 4), EOS])


class Chats(Dataset[Sample]):
    """Conversations of one turn, tokenised, with labels of the answer alone."""

    def __init__(self, rows: int = 48, make: Callable[[int], Sample] | None = None) -> None:
        self.rows = rows
        self.make = make or sample

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < self.rows:
            raise IndexError(index)
        return self.make(index)


def sample(number: int) -> Sample:
    """The usual sample: ids, and labels that ignore the prompt."""
    one = turn(number)
    return {"input_ids": one.prompt + one.answer, "labels": [IGNORED] * len(one.prompt) + one.answer}


def whole(number: int) -> Sample:
    """Labels that equal the ids."""
    one = turn(number)
    return {"input_ids": one.prompt + one.answer, "labels": one.prompt + one.answer}


def conversation(number: int, *, last_only: bool) -> Sample:
    """Several turns, with labels of all answers or of the last alone."""
    turns = [turn(5 * number + place) for place in range(2 + number % 3)]
    ids: list[int] = []
    labels: list[int] = []
    for one in turns:
        ids += one.prompt + one.answer
        labels += [IGNORED] * len(one.prompt)
        labels += [IGNORED] * len(one.answer) if last_only and one is not turns[-1] else one.answer
    return {"input_ids": ids, "labels": labels}


def padded(rows: Sequence[list[int]], value: int, *, left: bool = False, width: int = 0) -> torch.Tensor:
    """Pad rows to the longest."""
    width = width or max(len(row) for row in rows)
    return torch.tensor(
        [[value] * (width - len(row)) + row if left else row + [value] * (width - len(row)) for row in rows]
    )


def collate(samples: Sequence[Sample], *, pad: int = PAD, left: bool = False) -> dict[str, torch.Tensor]:
    """Ids padded with the pad id, labels with the ignored value, the mask from lengths."""
    ids = [list(one["input_ids"]) for one in samples]
    return {
        "input_ids": padded(ids, pad, left=left),
        "attention_mask": padded([[1] * len(row) for row in ids], 0, left=left),
        "labels": padded([list(one["labels"]) for one in samples], IGNORED, left=left),
    }


def loader(
    dataset: Dataset[Any], collate_fn: Callable[..., Any] = collate, batch: int = 8
) -> DataLoader[Any]:
    """Return the loader."""
    return DataLoader(dataset, batch_size=batch, collate_fn=collate_fn)


def packed(
    samples: Sequence[Sample], *, reset: bool = True, first_ignored: bool = True
) -> dict[str, torch.Tensor]:
    """All samples end to end in one row, as padding-free collates do."""
    ids, labels, positions = [], [], []
    for one in samples:
        row = list(one["labels"])
        start = 0 if reset else len(ids)
        ids += one["input_ids"]
        labels += [IGNORED, *row[1:]] if first_ignored else row
        positions += range(start, start + len(row))
    return {
        "input_ids": torch.tensor([ids]),
        "labels": torch.tensor([labels]),
        "position_ids": torch.tensor([positions]),
    }
