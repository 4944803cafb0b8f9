"""To which text of a batch a field belongs."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch

from dldoctor.evidence.labels import LengthsApart
from dldoctor.probes.labels.belonging import belongs, pads_alike
from tests.probes.labels.rows import collected
from tests.zoo._chat import PAD, collate, padded, sample, words
from tests.zoo._pairs import collate_pairs, pair

SIDES = ("chosen_input_ids", "rejected_input_ids")


@pytest.mark.parametrize(
    ("path", "tokens", "texts", "mine"),
    [
        ("chosen_attention_mask", "chosen_input_ids", SIDES, True),
        ("rejected_attention_mask", "chosen_input_ids", SIDES, False),
        ("attention_mask", "chosen_input_ids", SIDES, None),
        ("labels_chosen", "input_ids_chosen", ("input_ids_chosen", "input_ids_rejected"), True),
        ("chosen.labels", "rejected.input_ids", ("chosen.input_ids", "rejected.input_ids"), False),
        ("response_mask", "input_ids", ("input_ids", "responses"), False),
        ("attention_mask", "input_ids", ("input_ids", "responses"), True),
        ("completion_mask", "input_ids", ("input_ids",), None),
        ("1", "0", ("0",), None),
    ],
)
def test_names_tell(path: str, tokens: str, texts: tuple[str, ...], mine: bool | None) -> None:
    """By the words that are no role; the words of a role tell nothing."""
    assert belongs(path, tokens, texts) is mine


def test_a_mask_that_follows_the_padding_belongs_whatever_its_width() -> None:
    """It is on for the same tokens in each row, but for one."""
    ids = torch.tensor([[5, 6, 7, 8, 9, 4], [5, 6, 7, 0, 0, 0], [8, 6, 7, 9, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])
    assert pads_alike(mask, ids)
    assert not pads_alike(mask.flip(0), ids)


def batches(**more: Any) -> list[list[dict[str, Any]]]:
    """Six batches of pairs."""
    return [[pair(6 * batch + number, **more) for number in range(6)] for batch in range(6)]


def test_the_sides_of_pairs_are_not_compared() -> None:
    """Their widths differ by a token or two, or not at all."""
    found = collected(batches(), collate_pairs)
    assert (found.apart_count, found.apart) == (0, ())
    assert [(one.tokens, one.labels, one.mask) for one in found.groups] == [
        (f"{side}_input_ids", f"{side}_labels", f"{side}_attention_mask") for side in ("chosen", "rejected")
    ]


def test_a_short_mask_of_one_side_is_compared_with_that_side() -> None:
    """Each batch counts once."""
    found = collected(batches(), partial(collate_pairs, short_mask=True))
    assert (found.apart_count, len(found.apart)) == (6, 6)
    assert set(found.apart[0].lengths) == {"chosen_input_ids", "chosen_labels", "chosen_attention_mask"}


def test_a_text_alone_is_compared_with_all_that_is_near() -> None:
    """One text in the batch: a mask that lacks a position is its own."""

    def short(samples: list[Any]) -> dict[str, torch.Tensor]:
        batch = collate(samples)
        return {**batch, "attention_mask": batch["attention_mask"][:, :-1]}

    found = collected([[sample(number) for number in range(6)]], short)
    width = max(len(sample(number)["input_ids"]) for number in range(6))
    assert found.apart == (
        LengthsApart(0, {"input_ids": width, "attention_mask": width - 1, "labels": width}, "batch"),
    )


def two_texts(samples: list[tuple[list[int], list[int]]]) -> dict[str, torch.Tensor]:
    """Two texts of one width, and a mask that is named like neither."""
    texts = [padded([pair[side] for pair in samples], PAD, width=24) for side in (0, 1)]
    return {"first_input_ids": texts[0], "second_input_ids": texts[1], "mask": (texts[1] != PAD).long()}


def test_a_mask_beside_two_texts_of_one_width_is_that_of_the_text_it_pads() -> None:
    """The other one has no mask, and nothing of it is hidden."""
    rows = [(words(number, 9 + number % 11), words(900 + number, 20 - number % 9)) for number in range(24)]
    found = collected([rows[at : at + 8] for at in range(0, 24, 8)], two_texts)
    assert {one.tokens: one.mask for one in found.groups} == {
        "first_input_ids": None,
        "second_input_ids": "mask",
    }
    assert {row.hidden for row in found.rows} == {0}


def test_a_mask_that_pads_both_texts_is_that_of_both() -> None:
    """Queries and keys of equal lengths."""
    rows = [(words(number, 9 + number % 11), words(900 + number, 9 + number % 11)) for number in range(24)]
    found = collected([rows[at : at + 8] for at in range(0, 24, 8)], two_texts)
    assert {one.tokens: one.mask for one in found.groups} == {
        "first_input_ids": "mask",
        "second_input_ids": "mask",
    }
