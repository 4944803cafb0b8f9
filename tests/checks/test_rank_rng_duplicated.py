"""DL609 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.rank_rng_duplicated import RankRngDuplicated
from dldoctor.evidence.coverage import DrawsEvidence
from tests.checks.coverage_cases import coverage, judged, rank, spec


def drawn(equal: int, *, random: bool = True):
    return coverage(draws=DrawsEvidence(reads=24, equal=equal, random=random))


def test_equal_draws_are_a_warning() -> None:
    """Both ranks seeded alike."""
    assert judged(RankRngDuplicated(), drawn(24)) == [
        (
            "warning",
            (
                "ranks 0 and 1 draw the same random numbers: 24 of 24 reads of the same items (100%) gave equal "
                "content, though an item changes each time that one rank reads it"
            ),
        )
    ]


def test_items_that_do_not_change_and_draws_that_differ_are_clean() -> None:
    """Deterministic items are equal everywhere."""
    assert judged(RankRngDuplicated(), drawn(24, random=False)) == []
    assert judged(RankRngDuplicated(), drawn(3)) == []


def test_it_says_why_it_does_not_judge() -> None:
    """One rank, a stream, evaluation, or items that could not be read."""
    assert judged(RankRngDuplicated(), coverage(ranks=(rank(0),)))[0][0] == "not-applicable"
    assert judged(RankRngDuplicated(), drawn(24), spec(kind="iterable"))[0][0] == "not-applicable"
    assert judged(RankRngDuplicated(), drawn(24), role="eval")[0][0] == "not-applicable"
    assert judged(RankRngDuplicated(), coverage())[0][0] == "insufficient-evidence"
