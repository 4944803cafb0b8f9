"""Real lengths of rows from a mask, from an id, from values."""

from __future__ import annotations

import torch

from dldoctor.roles import Padding, padding_of

IDS = torch.tensor([[5, 6, 7, 8, 9], [5, 6, 0, 0, 0], [5, 6, 7, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])


def test_a_mask_decides_before_the_ids() -> None:
    """A token that looks like padding but is not masked is real."""
    real = MASK.clone()
    real[1, 2] = 1
    assert padding_of(IDS, real, pad_id=0) == Padding((5, 3, 3), "right", "mask", 0)


def test_document_numbers_count_as_a_mask() -> None:
    """Any number but 0 marks a real token."""
    assert padding_of(IDS, MASK * 3) == Padding((5, 2, 3), "right", "mask", 0)


def test_padding_on_the_left_is_told() -> None:
    """Prompts for generation begin with padding."""
    assert padding_of(IDS.flip(1), MASK.flip(1)) == Padding((5, 2, 3), "left", "mask", 0)


def test_rows_that_differ_in_side_are_mixed() -> None:
    """One row each way is a fact of its own."""
    both = torch.stack([MASK[1], MASK[1].flip(0)])
    ids = torch.stack([IDS[1], IDS[1].flip(0)])
    assert padding_of(ids, both) == Padding((2, 2), "mixed", "mask", 0)


def test_masked_positions_with_several_ids_have_no_pad_id() -> None:
    """Then the mask hides more than padding."""
    assert padding_of(IDS, 1 - MASK).pad_id is None


def test_a_declared_id_counts_only_at_the_ends() -> None:
    """The same id between real tokens is real."""
    ids = torch.tensor([[5, 0, 6, 0, 0], [0, 0, 0, 0, 0]])
    assert padding_of(ids, pad_id=0) == Padding((3, 0), "right", "pad id", 0)


def test_a_run_of_one_id_over_rows_of_different_lengths_is_padding() -> None:
    """Neither mask nor id is needed."""
    assert padding_of(IDS) == Padding((5, 2, 3), "right", "values", 0)
    assert padding_of(IDS.flip(1)) == Padding((5, 2, 3), "left", "values", 0)


def test_one_end_token_a_row_is_not_padding() -> None:
    """Rows of one length that end on the same token are full."""
    ids = torch.tensor([[5, 6, 7, 2], [8, 9, 4, 2], [3, 5, 6, 2]])
    assert padding_of(ids) == Padding((4, 4, 4), "none", "none", None)


def test_a_word_that_is_common_inside_rows_is_not_padding() -> None:
    """Repeats at an end happen in text."""
    ids = torch.tensor([[1, 5, 1, 6, 1, 7, 1, 1], [1, 8, 1, 1, 9, 1, 3, 1], [4, 1, 5, 1, 1, 6, 1, 2]])
    assert padding_of(ids).source == "none"


def test_a_batch_without_rows_has_no_lengths() -> None:
    """An empty batch raises nothing."""
    assert padding_of(torch.zeros(0, 5, dtype=torch.long)) == Padding((), "none", "none", None)
    assert padding_of(torch.zeros(2, 0, dtype=torch.long)).lengths == (0, 0)


def test_a_word_said_twice_at_the_end_of_one_row_is_no_padding() -> None:
    """Full rows of a stream of tokens: one of them ends by chance in a run of two."""
    table = torch.arange(12 * 20).reshape(12, 20)
    table[3, -2:] = 7
    assert padding_of(table) == Padding((20,) * 12, "none", "none")


def test_one_short_row_among_full_ones_is_padded_by_a_long_run() -> None:
    """Texts that are cut at a limit, and one that is shorter."""
    table = torch.arange(1, 12 * 20 + 1).reshape(12, 20)
    table[3, -9:] = 0
    assert padding_of(table).lengths == (20, 20, 20, 11, *(20,) * 8)
