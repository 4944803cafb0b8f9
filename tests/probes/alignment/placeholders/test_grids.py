"""Items go to the row whose sample had their grid."""

from __future__ import annotations

import torch

from dldoctor.evidence.labels import Vocabulary
from dldoctor.intent import Intent
from dldoctor.probes.alignment.placeholders.collect import PlaceholderCollector
from dldoctor.probes.alignment.placeholders.grids import grid_in, owners_of
from dldoctor.probes.alignment.placeholders.known import Known
from dldoctor.probes.alignment.placeholders.notes import note_of


def test_a_grid_is_a_table_of_whole_numbers_two_or_three_wide() -> None:
    """As a tensor or as lists; boxes, ids and fractions are none."""
    assert grid_in(torch.tensor([[1, 4, 8], [1, 2, 2]])) == [[1, 4, 8], [1, 2, 2]]
    assert grid_in([(4, 8), (2, 2)]) == [[4, 8], [2, 2]]
    assert grid_in(torch.zeros(0, 3, dtype=torch.long)) == []
    for other in (
        torch.ones(3),
        torch.ones(2, 4, dtype=torch.long),
        torch.ones(2, 3),
        [[1.0, 2.0]],
        [],
        "ab",
    ):
        assert grid_in(other) is None


def test_the_owner_is_told_only_by_equal_grids() -> None:
    """A sample may lack the table; in another order nobody is told."""
    grids = [{"g": [[4, 8]]}, {}, {"g": [[2, 2], [6, 6]]}]
    assert owners_of(grids, [(1, 4, 8), (1, 2, 2), (1, 6, 6)]) == [0, 2, 2]
    assert owners_of(grids, [(1, 2, 2), (1, 4, 8), (1, 6, 6)]) is None
    assert owners_of([], [(1, 2, 2)]) is None


def test_a_row_that_lost_a_run_keeps_its_image() -> None:
    """The last image of the first row has no placeholder; the second row is whole."""
    sizes = [[[1, 4, 4], [1, 2, 4]], [[1, 2, 4], [1, 4, 4]], [[1, 4, 8]], [[1, 4, 4]]]
    runs = [[3], [2, 4], [8], [4]]
    rows = [
        [one for run in row for one in (*[7] * run, 30)] + [31 + n] * (12 - sum(row))
        for n, row in enumerate(runs)
    ]
    width = max(len(row) for row in rows)
    grids = [torch.tensor(one) for one in sizes]
    notes = [note_of({"g": one}, ()) for one in grids]
    made = torch.Generator().manual_seed(0)
    whole = torch.cat(grids)
    batch = {
        "input_ids": torch.tensor([row + [0] * (width - len(row)) for row in rows]),
        "pixel_values": torch.rand(int(whole.prod(1).sum()), 12, generator=made),
        "image_grid_thw": whole,
    }
    collector = PlaceholderCollector(
        Intent(image_token_id=(7,)), Vocabulary(pad=0, eos=1), Known(pad=0, declared=(7,))
    )
    collector.take(batch, (10, 11, 12, 13), notes)
    found = collector.evidence()
    assert [row.sample for row in found.rows if not row.fits] == [10]
