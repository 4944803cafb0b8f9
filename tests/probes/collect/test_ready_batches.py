"""Rows of what a dataset gives as a batch of its own."""

from __future__ import annotations

import pytest
import torch

from dldoctor.probes.collect.batches import rows_of_ready_batch
from dldoctor.probes.glance import glance


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        ((torch.zeros(16, 3, 8, 8), torch.zeros(16, 24)), 16),
        ({"ids": torch.zeros(4, 9), "names": ["a", "b", "c", "d"]}, 4),
        ((torch.zeros(3, 8, 8), 5), 1),
        ({"pixels": torch.zeros(3, 8, 8), "caption": "cat"}, 1),
        (torch.zeros(16, 8), 1),
        ({"ids": torch.zeros(7), "mask": torch.zeros(9)}, 1),
    ],
)
def test_only_fields_that_agree_are_rows(given: object, rows: int) -> None:
    """A picture beside its label is one sample, whatever its channels; so is a lone table."""
    assert rows_of_ready_batch(glance(given)[0]) == rows
