"""DL613 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.uneven_work import UnevenWork
from dldoctor.evidence.coverage import Work
from tests.checks.coverage_cases import coverage, judged, rank

STEADY = Work("input_ids", 32, 0.25, per_rank=(500.0, 1100.0), errors=(10.0, 12.0))


def test_a_rank_with_more_in_each_step_is_a_warning() -> None:
    """With the share of time that the others wait."""
    assert judged(UnevenWork(), coverage(work=STEADY)) == [
        (
            "warning",
            (
                "ranks wait 25% of their time for the one with the largest batch, if time grows with the elements of "
                "`input_ids`: rank 1 has 1.4 times the mean of all in each step (32 steps)"
            ),
        )
    ]


def test_differences_by_chance_are_a_note() -> None:
    """They change from step to step: no rank is above the mean for sure, or not by much."""
    now_and_then = replace(STEADY, per_rank=(790.0, 810.0))
    ((level, said),) = judged(UnevenWork(), coverage(work=now_and_then))
    assert (level, "now on one rank and now on another" in said) == ("info", True)
    unsure = replace(STEADY, errors=(100.0, 100.0))
    assert [level for level, _ in judged(UnevenWork(), coverage(work=unsure))] == ["info"]


def test_even_work_is_clean_and_what_cannot_wait_is_not_judged() -> None:
    """Each says why."""
    assert judged(UnevenWork(), coverage(work=replace(STEADY, waiting=0.05))) == []
    assert judged(UnevenWork(), coverage(work=STEADY), role="eval") == [
        ("not-applicable", "the loader is declared eval")
    ]
    assert judged(UnevenWork(), coverage()) == [
        ("insufficient-evidence", "two ranks have no steps in common whose batches could be read")
    ]
    alone = coverage({}, ranks=(rank(0),), rank_overlaps=(), work=STEADY)
    assert judged(UnevenWork(), alone) == [("not-applicable", "there is one rank; add `--ranks N`")]
