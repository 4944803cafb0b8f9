"""DL608 on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.sharded_twice import ShardedTwice
from tests.checks.coverage_cases import coverage, judged, rank

RANKS = tuple(rank(number, items=4) for number in range(4))


def four(covered: int, **facts):
    pairs = {(a, b): (0, 4) for a in range(4) for b in range(a)}
    epoch = {"issued": covered, "distinct": covered, "once": covered, "never": 64 - covered}
    return coverage(pairs, ranks=RANKS, items=64, epoch=epoch, **facts)


def test_a_part_of_a_part_is_an_error() -> None:
    """16 of 64 on four ranks."""
    assert judged(ShardedTwice(), four(16)) == [
        (
            "error",
            (
                "4 ranks together are given 16 of 64 items (25%), which is what one of them should have: each rank "
                "has 4"
            ),
        )
    ]


@pytest.mark.parametrize("covered", [64, 60, 32, 8])
def test_other_gaps_are_not_its_business(covered: int) -> None:
    """All of it, nearly all, half, an eighth."""
    assert judged(ShardedTwice(), four(covered)) == []


def test_missing_ranks_leave_it_open() -> None:
    """Four of eight ranks ran."""
    assert [s for s, _ in judged(ShardedTwice(), four(16, world_size=8))] == ["insufficient-evidence"]
