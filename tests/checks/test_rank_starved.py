"""DL604 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.rank_starved import RankStarved
from tests.checks.coverage_cases import coverage, judged, rank, spec, workers

WAIT = ", so the others would wait for it in the exchange of gradients"


def test_a_rank_without_a_batch_is_an_error() -> None:
    """One shard for two ranks."""
    found = coverage(ranks=(rank(0), rank(1, batches=(0, 0), items=0)))
    assert judged(RankStarved(), found) == [("error", f"rank 1 of 2 has no batch, and another has 3{WAIT}")]


def test_uneven_batches_are_an_error_also_in_a_later_epoch() -> None:
    """The first epoch may be even by chance."""
    found = coverage(ranks=(rank(0, batches=(3, 4)), rank(1)))
    assert judged(RankStarved(), found) == [
        ("error", f"rank 1 has 3 batches in an epoch, and another has 4{WAIT}")
    ]
    assert judged(RankStarved(), found, role="eval") == [
        ("info", "rank 1 has 3 batches in an epoch, and another has 4")
    ]


def test_a_rank_that_raises_or_does_not_move_is_told_with_what_the_others_did() -> None:
    """It was ended, not waited for."""
    raised = rank(1, batches=(), items=0, state="raised", error="ValueError: no samples found")
    assert judged(RankStarved(), coverage(ranks=(rank(0), raised))) == [
        ("error", "rank 1 raised ValueError: no samples found, while 1 other rank delivered 3 batches")
    ]
    stuck = rank(1, batches=(), items=0, state="stuck", error="did not move for 42 s")
    assert judged(RankStarved(), coverage(ranks=(rank(0), stuck)))[0][0] == "error"


def test_idle_workers_are_a_note_while_every_rank_is_fed() -> None:
    """More workers than shards."""
    fed = rank(0, workers=workers(10, 0))
    found = coverage(ranks=(fed, rank(1, workers=workers(5, 5))), by="own-id")
    assert judged(RankStarved(), found, spec(kind="iterable")) == [
        ("info", "1 worker delivered nothing (rank 0 worker 1), while each rank had its batches")
    ]


def test_even_ranks_are_clean_and_one_rank_is_not_judged() -> None:
    """Computed ranks have no epochs of their own."""
    computed = rank(2, batches=(), items=10, state="computed")
    assert judged(RankStarved(), coverage(ranks=(rank(0), rank(1), computed))) == []
    assert [s for s, _ in judged(RankStarved(), coverage(ranks=(rank(0),)))] == ["not-applicable"]
