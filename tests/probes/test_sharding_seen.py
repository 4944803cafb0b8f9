"""Two bits an item: counting, merging and comparing, with and without numpy."""

from __future__ import annotations

import random
from array import array
from collections import Counter

import pytest

from dldoctor.probes.sharding import seen as module
from dldoctor.probes.sharding.seen import Seen


@pytest.fixture(params=["numpy", "python"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs twice."""
    if request.param == "python":
        monkeypatch.setattr(module, "_numpy", lambda: None)
    else:
        pytest.importorskip("numpy")
    return request.param


def counted(size: int, indices: list[int]) -> Seen:
    seen = Seen(size)
    seen.add(array("q", indices))
    return seen


@pytest.mark.parametrize("size", [1, 7, 8, 9, 250, 1000])
def test_counts_equal_those_of_a_counter(size: int) -> None:
    """Whatever the size and however the indices come in."""
    rng = random.Random(size)
    indices = [rng.randrange(size) for _ in range(3 * size // 2)]
    seen = Seen(size)
    for start in range(0, len(indices), 100):
        seen.add(array("q", indices[start : start + 100]))
    truth = Counter(indices)
    assert seen.distinct == len(truth)
    assert seen.repeated == sum(n > 1 for n in truth.values())
    assert seen.first_missing(size) == [i for i in range(size) if i not in truth]
    assert seen.first_repeated(size) == sorted(i for i, n in truth.items() if n > 1)


def test_indices_outside_are_counted_apart() -> None:
    """Negative ones and those beyond the end."""
    seen = Seen(100)
    assert seen.add(array("q", [-1, 100, *range(80), 250, 5])) == 3
    assert (seen.distinct, seen.repeated) == (80, 1)


def test_merging_two_parts_gives_what_they_share_as_repeated() -> None:
    """An item that both ranks have comes twice."""
    one, two = counted(200, list(range(120))), counted(200, list(range(100, 180)))
    assert (one.shared(two), one.lacking(two)) == (20, 60)
    one.merge(two)
    assert (one.distinct, one.repeated) == (180, 20)
    assert one.first_missing(3) == [180, 181, 182]
    assert one.first_missing(3, wanted=counted(200, [5, 190])) == [190]


def test_stretches_are_shares() -> None:
    """Four stretches of 25 items."""
    assert counted(100, [*range(25), *range(50, 60)]).stretches(4) == (1.0, 0.0, 0.4, 0.0)
    assert counted(3, [1]).stretches(48) == (0.0, 1.0, 0.0)


def test_bytes_carry_the_counts_to_another_process() -> None:
    """A rank leaves them in a file."""
    seen = counted(90, [*range(70), *range(10)])
    again = Seen(90, bytes(seen.once), bytes(seen.more))
    assert (again.distinct, again.repeated) == (70, 10)
