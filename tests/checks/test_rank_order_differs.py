"""DL607 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.rank_order_differs import RankOrderDiffers
from dldoctor.evidence.coverage import SplitEvidence
from tests.checks.coverage_cases import coverage, judged


def test_overlapping_slices_with_missing_items_are_an_error() -> None:
    """100 issued, 64 different."""
    slices = coverage(
        {(0, 1): (12, 50)},
        items=100,
        epoch={"issued": 100, "distinct": 64, "never": 36, "once": 30, "more": 34},
    )
    assert judged(RankOrderDiffers(), slices) == [
        (
            "error",
            (
                "the ranks slice different orders: 100 items are issued, 64 are different and 36 (36%) are missing; "
                "ranks 0 and 1 share 12 of 50"
            ),
        )
    ]


def test_splits_that_differ_are_an_error() -> None:
    """Each rank drew 100 of 1000 for itself."""
    split = coverage(items=100, split=SplitEvidence(size=100, total=1000, distinct=347, shared=9))
    assert judged(RankOrderDiffers(), split) == [
        (
            "error",
            (
                "each rank drew a split of its own: 2 ranks have 347 different items in their parts of 100 of 1000 "
                "items, and two of them share only 9"
            ),
        )
    ]


def test_equal_splits_and_clean_slices_are_silent() -> None:
    """One split on all ranks; padding alone."""
    assert judged(RankOrderDiffers(), coverage(split=SplitEvidence(20, 1000, 20, 20))) == []
    assert judged(RankOrderDiffers(), coverage({(0, 1): (1, 11)})) == []
