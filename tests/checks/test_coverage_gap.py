"""DL602 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.coverage_gap import CoverageGap
from dldoctor.evidence.coverage import OrderEvidence, SplitEvidence
from tests.checks.coverage_cases import coverage, judged, rank, spec, workers


def gap(never: int, **epoch):
    return {"issued": 100 - never, "distinct": 100 - never, "once": 100 - never, "never": never, **epoch}


def test_items_that_nobody_gets_are_an_error() -> None:
    """With the remainder of the split that explains them."""
    stream = spec(kind="iterable", num_workers=4, shuffle=None)
    only = (rank(0, items=98),)
    found = coverage(
        {}, ranks=only, items=102, by="own-id", epoch=gap(2, missing=("row 40", "row 41")), rank_overlaps=()
    )
    assert judged(CoverageGap(), found, stream) == [
        (
            "error",
            (
                "2 of 102 items (2%) are delivered to no rank and no worker: row 40 and row 41; 102 % 4 = 2, "
                "the remainder of a split that rounds down"
            ),
        )
    ]


def test_drop_last_is_a_note_a_warning_from_five_percent_and_an_error_in_evaluation() -> None:
    """The same fact, by what it costs."""
    few, many = coverage(items=100, epoch=gap(5, dropped=5)), coverage(items=100, epoch=gap(6, dropped=6))
    said = "5 of 100 items (5%) are left out of an epoch: 5 by `drop_last`"
    assert judged(CoverageGap(), few) == [("info", said)]
    assert [level for level, _ in judged(CoverageGap(), many, role="train")] == ["warning"]
    assert [level for level, _ in judged(CoverageGap(), few, role="eval")] == ["error"]
    even = coverage(items=100, epoch=gap(1, cut_by_sampler=1))
    assert judged(CoverageGap(), even, spec(shuffle=False)) == [
        (
            "info",
            (
                "1 of 100 items (1%) are left out of an epoch: 1 by the sampler, to even out 2 ranks; for "
                "evaluation they would be missing from the metric"
            ),
        )
    ]


def test_a_sampler_that_leaves_items_out_for_one_process_too_is_a_note() -> None:
    """The other half may be the validation split."""
    half = coverage(items=30, dataset_size=60, reference_size=30)
    assert [level for level, _ in judged(CoverageGap(), half)] == ["info"]


def test_another_cause_is_told_by_its_own_rule() -> None:
    """Splits that differ (DL607), a part of a part (DL608), overlapping slices (DL607)."""
    differs = coverage(items=100, epoch=gap(9), split=SplitEvidence(40, 100, 87, 17))
    twice = coverage(items=100, epoch=gap(50))
    slices = coverage({(0, 1): (12, 50)}, items=100, epoch=gap(30))
    for found in (differs, twice, slices):
        assert judged(CoverageGap(), found) == []


def test_what_was_not_seen_whole_is_not_judged() -> None:
    """A missing rank, an epoch that was cut, repeats that are meant."""
    partial = coverage(items=100, epoch=gap(3), world_size=8)
    cut = coverage(items=100, epoch=gap(3, complete=False))
    assert [s for s, _ in judged(CoverageGap(), partial)] == ["insufficient-evidence"]
    assert [s for s, _ in judged(CoverageGap(), cut)] == ["insufficient-evidence"]
    drawn = coverage(items=100, epoch=gap(30))
    assert [s for s, _ in judged(CoverageGap(), drawn, spec(replacement=True))] == ["not-applicable"]


def test_weights_by_class_draw_the_first_items_alone() -> None:
    """Whatever is drawn with replacement, what has no weight never comes."""
    few = spec(replacement=True, sampler_weights=9, dataset_length=120)
    assert judged(CoverageGap(), coverage(items=9), few) == [
        (
            "error",
            (
                "the sampler has 9 weights for a dataset of 120: 111 of 120 items, from index 9 on, are never "
                "drawn, in any epoch"
            ),
        )
    ]
    part = spec(replacement=True, sampler_weights=100, dataset_length=120)
    assert [level for level, _ in judged(CoverageGap(), coverage(items=100), part)] == ["warning"]
    each = spec(replacement=True, sampler_weights=120, dataset_length=120)
    assert [status for status, _ in judged(CoverageGap(), coverage(items=120), each)] == ["not-applicable"]


def test_a_buffer_that_is_not_emptied_is_told_from_a_split_that_rounds_down() -> None:
    """One process alone leaves items out as well, and other ones."""
    stream = spec(kind="iterable", num_workers=2, shuffle=None)
    order = OrderEvidence(True, "`Docs.__iter__ calls shuffle`", same=False)
    found = coverage(
        items=536,
        by="own-id",
        epoch={"issued": 344, "distinct": 344, "once": 344, "never": 201},
        reference_size=536,
        beyond_reference=9,
        order=order,
    )
    assert judged(CoverageGap(), found, stream) == [
        (
            "error",
            (
                "about 256 of 600 items (43%) are delivered to no rank and no worker: each of 4 processes that read "
                "keeps about 64 back, and one process alone as well, other items each time: a shuffle buffer "
                "(`Docs.__iter__ calls shuffle`) that is not emptied at the end"
            ),
        )
    ]


def test_a_stream_that_is_sampled_by_chance_is_a_note() -> None:
    """As many come from several processes as from one, only others."""
    stream = spec(kind="iterable", num_workers=2, shuffle=None)
    found = coverage(
        items=300,
        by="own-id",
        epoch={"issued": 296, "distinct": 296, "once": 296, "never": 75},
        reference_size=300,
        beyond_reference=71,
    )
    ((level, said),) = judged(CoverageGap(), found, stream)
    assert level == "info"
    assert said.startswith(
        "which items an epoch delivers is left to chance: 296 come here and 300 from one process"
    )


@pytest.mark.parametrize(("later", "level"), [((150, 145), "error"), ((139, 157), "info")])
def test_a_few_items_fewer_are_a_buffer_only_where_the_counts_stay(
    later: tuple[int, int], level: str
) -> None:
    """Sampling by chance gives a worker another number in each epoch; a buffer has one size."""
    first = rank(0, items=295, workers=workers(150, 145))
    other = replace(first.epochs[1], workers=workers(*later))
    found = coverage(
        items=309,
        by="own-id",
        epoch={"issued": 295, "distinct": 295, "once": 295, "never": 76},
        reference_size=309,
        beyond_reference=62,
        ranks=(replace(first, epochs=(first.epochs[0], other)),),
        rank_overlaps=(),
    )
    stream = spec(kind="iterable", num_workers=2, shuffle=None)
    assert [said for said, _ in judged(CoverageGap(), found, stream)] == [level]


def test_a_remainder_that_is_another_in_each_epoch_is_left_out_as_by_drop_last() -> None:
    """A note below five percent, a warning above, an error in evaluation; the same remainder is lost for good."""
    few = coverage(items=100, epoch=gap(4), never_in_any=1)
    said = "4 of 100 items (4%) are left out of an epoch, other ones in each (1 in none of 2)"
    assert judged(CoverageGap(), few) == [("info", said)]
    assert [level for level, _ in judged(CoverageGap(), few, role="eval")] == ["error"]
    many = coverage(items=100, epoch=gap(9), never_in_any=1)
    assert [level for level, _ in judged(CoverageGap(), many)] == ["warning"]
    same = coverage(items=100, epoch=gap(4), never_in_any=4)
    assert [level for level, _ in judged(CoverageGap(), same)] == ["error"]


def test_a_small_remainder_of_a_shuffle_that_never_changes_is_told_by_its_cause() -> None:
    """DL606 speaks; with a new order in each epoch other items would be left out."""
    order = OrderEvidence(True, "the sampler shuffles", ("sampler",), same=True)
    found = coverage(items=100, epoch=gap(4), never_in_any=4, order=order)
    said = "4 of 100 items (4%) are left out of an epoch, the same ones in each as long as the order stays the same"
    assert judged(CoverageGap(), found) == [("info", said)]
    large = coverage(items=100, epoch=gap(9), never_in_any=9, order=order)
    assert [level for level, _ in judged(CoverageGap(), large)] == ["error"]
