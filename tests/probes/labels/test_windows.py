"""Documents that end tokens alone tell apart."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.probes.labels.rows import collected
from tests.zoo._chat import BOS, EOS, PAD, collate, conversation, words

WIDTH = 48


def run_of_texts(count: int = 120, *, begin: bool = False) -> list[int]:
    """Texts of 10 to 29 words end to end, each with its end token."""
    texts = [[*([BOS] * begin), *words(number, 10 + 7 * number % 20), EOS] for number in range(count)]
    return [one for text in texts for one in text]


def windows(run: list[int], width: int = WIDTH) -> list[dict[str, Any]]:
    """The run in pieces of one length."""
    return [{"input_ids": run[at : at + width]} for at in range(0, len(run) - width, width)]


def stacked(samples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Rows that need no padding."""
    ids = torch.tensor([one["input_ids"] for one in samples])
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}


def batches(samples: list[Any], size: int = 4) -> list[list[Any]]:
    return [samples[at : at + size] for at in range(0, len(samples), size)]


@pytest.mark.parametrize("begin", [False, True])
def test_windows_of_a_run_of_texts_hold_several(begin: bool) -> None:
    """Each end token inside a row begins another document with what follows it."""
    rows = windows(run_of_texts(begin=begin))
    found = collected(batches(rows), stacked, eos_id=EOS)
    assert found.groups[0].documents_by == "eos"
    expected = [1 + sum(one == EOS for one in row["input_ids"][:-1]) for row in rows]
    assert [row.documents for row in found.rows] == expected


def test_moved_labels_change_nothing() -> None:
    """Inputs and targets of a plain training loop."""
    rows = windows(run_of_texts(), WIDTH + 1)

    def moved(samples: list[dict[str, Any]]) -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.tensor([one["input_ids"] for one in samples])
        return ids[:, :-1], ids[:, 1:]

    found = collected(batches(rows), moved, eos_id=EOS)
    assert (found.groups[0].label_kind, found.groups[0].documents_by) == ("shifted", "eos")


def test_conversations_are_no_packs() -> None:
    """An end token after each answer, in rows of different lengths."""
    talks = [conversation(number, last_only=False) for number in range(24)]
    found = collected(batches(talks), collate, eos_id=EOS)
    assert {row.documents for row in found.rows} == {1}
    assert {row.eos > 1 for row in found.rows} == {True}


def test_conversations_that_are_all_cut_are_no_packs() -> None:
    """They fill one width and stop anywhere, but they begin alike."""
    talks = [conversation(number, last_only=False)["input_ids"][:30] for number in range(24)]
    found = collected(batches([{"input_ids": one} for one in talks]), stacked, eos_id=EOS)
    assert {row.documents for row in found.rows} == {1}


def test_without_a_known_end_token_nothing_is_said() -> None:
    """Windows stop anywhere, so the end token is not learned from them."""
    found = collected(batches(windows(run_of_texts())), stacked)
    assert {row.documents for row in found.rows} == {1}


def test_single_masked_pads_between_texts_part_them() -> None:
    """Packs padded on the left, with one pad under mask 0 between texts: nothing else is hidden."""

    def pack(samples: list[list[list[int]]]) -> dict[str, torch.Tensor]:
        rows = [[one for text in texts for one in (PAD, *text)][1:] for texts in samples]
        width = max(len(row) for row in rows) + 3
        ids = torch.tensor([[PAD] * (width - len(row)) + row for row in rows])
        return {
            "input_ids": ids,
            "attention_mask": (ids != PAD).long(),
            "labels": ids.masked_fill(ids == PAD, -100),
        }

    texts = [[BOS, *words(number, 6 + number % 5), EOS] for number in range(72)]
    packs = [texts[at : at + 3] for at in range(0, 72, 3)]
    found = collected(batches(packs), pack, eos_id=EOS)
    assert {row.documents for row in found.rows} == {3}
    assert {row.hidden for row in found.rows} == {0}


def test_a_word_with_the_id_of_padding_stays_hidden() -> None:
    """A mask made from ids hides it, and what follows it is any word."""

    def by_id(samples: list[list[int]]) -> dict[str, torch.Tensor]:
        width = max(len(row) for row in samples)
        ids = torch.tensor([row + [PAD] * (width - len(row)) for row in samples])
        return {"input_ids": ids, "attention_mask": (ids != PAD).long()}

    texts = [[BOS, *words(number, 6), PAD, *words(number + 500, 5 + number % 3), EOS] for number in range(24)]
    found = collected(batches(texts), by_id, eos_id=EOS)
    assert {(row.documents, row.hidden) for row in found.rows} == {(1, 1)}
