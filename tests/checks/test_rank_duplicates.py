"""DL603 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.rank_duplicates import RankDuplicates
from tests.checks.coverage_cases import coverage, judged, rank, spec

SAME = {(0, 1): (20, 20)}
EPOCH = {"issued": 40, "distinct": 20, "once": 0, "more": 20}


def test_a_stream_that_every_rank_gets_whole_is_an_error() -> None:
    """Split by worker only."""
    found = coverage(SAME, epoch=EPOCH, by="own-id")
    assert judged(RankDuplicates(), found, spec(kind="iterable", num_workers=2)) == [
        (
            "error",
            (
                "ranks 0 and 1 have 20 of 20 items in common (100%), so that 2 ranks see 20 different items in 40 "
                "deliveries"
            ),
        )
    ]


def test_a_map_style_loader_that_knows_no_ranks_is_a_note_with_both_readings() -> None:
    """A framework may shard it; if it knows ranks itself, nobody else will."""
    unaware = judged(RankDuplicates(), coverage(SAME, epoch=EPOCH))
    assert [level for level, _ in unaware] == ["info"]
    assert "accelerate, a Trainer or Lightning" in unaware[0][1]
    aware = coverage(SAME, epoch=EPOCH, shards_by=("RANK",))
    assert [level for level, _ in judged(RankDuplicates(), aware)] == ["error"]


def test_ranks_that_share_little_are_clean() -> None:
    """Padding repeats an item; another rule speaks of slices that overlap in part."""
    assert judged(RankDuplicates(), coverage({(0, 1): (1, 11)})) == []
    assert judged(RankDuplicates(), coverage({(0, 1): (6, 10)}, epoch={"never": 6})) == []


def test_it_needs_two_ranks() -> None:
    """One rank has nothing to share, and a rank that got nothing neither."""
    alone = coverage(ranks=(rank(0),), rank_overlaps=())
    assert judged(RankDuplicates(), alone) == [("not-applicable", "there is one rank; add `--ranks N`")]
    empty = coverage({(0, 1): (0, 0)})
    assert [s for s, _ in judged(RankDuplicates(), empty)] == ["insufficient-evidence"]
