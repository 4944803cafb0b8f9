"""Rows that the evidence names come first, and no row comes twice."""

from __future__ import annotations

from dldoctor.probes.alignment.rows.choose import batches_of


def test_a_batch_of_a_misplaced_row_stays_together():
    """In its order, even where it is larger than a batch; others follow in batches."""
    assert batches_of([[9, 4, 7, 1], [4, 3]], [0, 1, 2, 5, 6], 2, 8) == [[9, 4, 7, 1], [3, 0], [2, 5]]


def test_single_suspects_are_read_in_batches_with_others():
    """A group of one is no batch."""
    assert batches_of([[5]], [0, 5, 10], 2, 3) == [[5, 0], [10]]


def test_no_more_than_wanted():
    """The last batch is cut."""
    assert batches_of([], list(range(10)), 4, 6) == [[0, 1, 2, 3], [4, 5]]
