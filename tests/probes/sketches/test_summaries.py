"""Moments, extremes, tallies, offenders, the choice of ids, and the distribution of all."""

from __future__ import annotations

import math
import pickle
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dldoctor.evidence.distribution import Bin, Distribution, Extreme, Tally
from dldoctor.evidence.fields import Offenders
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.sketches import (
    DistributionSketch,
    Extremes,
    Moments,
    OffenderSketch,
    Reservoir,
    TallySketch,
)

values = st.floats(min_value=-1e6, max_value=1e6)
ids: st.SearchStrategy[SampleId] = st.one_of(
    st.integers(0, 60),
    st.text(max_size=3),
    st.builds(StreamPosition, st.integers(0, 3), st.integers(0, 9)),
)
pairs = st.lists(st.tuples(values, ids), max_size=60)
Pairs = list[tuple[float, SampleId]]


def moments_of(numbers: Sequence[float]) -> Moments:
    made = Moments()
    for number in numbers:
        made.add(number)
    return made


def extremes_of(entries: Pairs) -> Extremes:
    made = Extremes(3)
    for value, sample in entries:
        made.add(value, sample)
    return made


def tally_of(entries: Pairs) -> TallySketch:
    made = TallySketch(bound=100, keep=3)
    for value, sample in entries:
        made.add(int(value) % 7, sample)
    return made


def offenders_of(entries: Pairs) -> OffenderSketch:
    made = OffenderSketch(keep=4)
    for _, sample in entries:
        made.add(sample)
    return made


def reservoir_of(entries: Pairs) -> Reservoir:
    made = Reservoir(keep=5)
    for _, sample in entries:
        made.add(sample)
    return made


READERS: dict[str, tuple[Callable[[Pairs], Any], Callable[[Any], object]]] = {
    "extremes": (extremes_of, lambda made: (made.smallest, made.largest)),
    "tally": (tally_of, lambda made: (made.total, made.distinct, made.evidence())),
    "offenders": (offenders_of, lambda made: made.evidence()),
    "reservoir": (reservoir_of, lambda made: made.ids),
}


@pytest.mark.parametrize("name", READERS)
@given(a=pairs, b=pairs, c=pairs)
def test_merging_is_commutative_associative_and_equal_to_the_whole(
    name: str, a: Pairs, b: Pairs, c: Pairs
) -> None:
    """However workers are merged, the report reads the same."""
    make, read = READERS[name]
    chain, swapped, tail, tree = make(a), make(c), make(b), make(a)
    chain.merge(make(b))
    chain.merge(make(c))
    swapped.merge(make(a))
    swapped.merge(make(b))
    tail.merge(make(c))
    tree.merge(tail)
    assert read(chain) == read(swapped) == read(tree) == read(make(a + b + c))


@given(st.lists(values, min_size=1, max_size=60), st.lists(values, min_size=1, max_size=60))
def test_merged_moments_are_those_of_all_values(left: list[float], right: list[float]) -> None:
    """Count and ends are exact, mean and standard deviation up to rounding."""
    merged = moments_of(left)
    merged.merge(moments_of(right))
    whole = left + right
    size = max(map(abs, whole))
    assert (merged.count, merged.min, merged.max) == (len(whole), min(whole), max(whole))
    assert math.isclose(merged.mean, statistics.fmean(whole), abs_tol=1e-9 * size + 1e-300)
    assert math.isclose(merged.std, statistics.pstdev(whole), rel_tol=1e-6, abs_tol=1e-7 * size + 1e-150)


def test_a_summary_counts_as_the_values_behind_it() -> None:
    """One reduction over a tensor is as good as its elements."""
    made = moments_of([1.0, 2.0])
    made.add_summary(3, mean=6.0, m2=2.0, low=5.0, high=7.0)
    assert (made.count, made.mean, made.min, made.max) == (5, pytest.approx(4.2), 1.0, 7.0)
    assert made.variance == pytest.approx(statistics.pvariance([1, 2, 5, 6, 7]))


@given(pairs)
def test_extremes_are_the_ends_of_the_sorted_entries(entries: Pairs) -> None:
    """The three ends hold the values that sorting gives."""
    different = {(value, sample) for value, sample in entries}
    ordered = sorted(value for value, _ in different)
    made = extremes_of(entries)
    assert [e.value for e in made.smallest] == ordered[:3]
    assert [e.value for e in made.largest] == ordered[::-1][:3]


def test_a_sample_that_is_read_twice_is_one_extreme() -> None:
    """A second epoch does not fill the list with one sample."""
    made = extremes_of([(9.0, 4), (9.0, 4), (1.0, 2), (1.0, 2)])
    assert made.largest == (Extreme(4, 9.0), Extreme(2, 1.0))


@given(st.lists(st.integers(0, 30), max_size=200))
def test_counts_are_exact_below_the_bound(numbers: list[int]) -> None:
    """Nothing is lost while all values fit."""
    made = TallySketch(bound=31)
    for number in numbers:
        made.add(number)
    assert (dict(made.values()), made.total, made.distinct) == (
        dict(Counter(numbers)),
        len(numbers),
        len(set(numbers)),
    )


def test_values_beyond_the_bound_are_counted_together() -> None:
    """The total stays exact and the number of different values is no longer claimed."""
    made = TallySketch(bound=2, keep=1)
    for sample, value in enumerate(["a", "b", "b", "c", "d", "a"]):
        made.add(value, sample)
    assert (made.total, made.distinct, made.evidence()) == (
        6,
        None,
        (Tally("a", 2, (0,)), Tally("b", 2, (1,)), Tally("(others)", 2)),
    )


def test_a_merge_beyond_the_bound_keeps_the_commonest() -> None:
    """A value that is common in one worker is not lost to rare ones of another."""
    left, right = TallySketch(bound=2), TallySketch(bound=2)
    for value in "abb":
        left.add(value)
    for value in "cccd":
        right.add(value)
    left.merge(right)
    assert (left.values(), left.total, left.others) == ([("c", 3), ("b", 2)], 7, 2)


def test_a_tally_folds_what_is_beyond_the_limit() -> None:
    """The rows of a report add up to the total."""
    assert tally_of([(1.0, 1), (1.0, 2), (2.0, 3), (3.0, 4)]).evidence(limit=1) == (
        Tally("1", 2, (1, 2)),
        Tally("(others)", 2),
    )


def test_offenders_keep_the_lowest_ids_and_count_all() -> None:
    """The list does not depend on which worker was first."""
    assert offenders_of([(0.0, i) for i in range(9, -1, -1)]).evidence() == Offenders(10, (0, 1, 2, 3))


def test_the_choice_of_ids_is_the_same_in_every_process() -> None:
    """It hangs on a hash that is not seeded."""
    assert (
        reservoir_of([(0.0, i) for i in range(1000)]).ids
        == reservoir_of([(0.0, i) for i in range(999, -1, -1)]).ids
    )
    assert len(reservoir_of([(0.0, i) for i in range(1000)]).ids) == 5


def test_a_distribution_has_exact_ends_and_the_samples_at_them() -> None:
    """The summary of few values is exact throughout."""
    made = DistributionSketch()
    for sample, value in enumerate([4, 1, 3, 2, 2]):
        made.add(value, sample)
    assert made.evidence() == Distribution(
        count=5,
        min=1.0,
        max=4.0,
        mean=2.4,
        std=pytest.approx(1.0198039),
        p1=1.0,
        p50=2.0,
        p90=4.0,
        p99=4.0,
        histogram=(Bin(1.0, 2.0, 1), Bin(2.0, 3.0, 2), Bin(3.0, 4.0, 1), Bin(4.0, 4.0, 1)),
        smallest=(Extreme(1, 1.0), Extreme(3, 2.0), Extreme(4, 2.0)),
        largest=(Extreme(0, 4.0), Extreme(2, 3.0), Extreme(3, 2.0)),
    )


def test_an_empty_distribution_is_none() -> None:
    """Nothing was measured, and nothing is claimed."""
    made = DistributionSketch()
    made.add(math.nan, 1)
    made.add(10**400, 2)
    assert (made.evidence(), made.nonfinite) == (None, 2)


@given(pairs, pairs)
def test_merged_distributions_agree_with_the_whole(left: Pairs, right: Pairs) -> None:
    """Everything but the rounding of mean and deviation is equal."""

    def made(entries: Pairs) -> DistributionSketch:
        sketch = DistributionSketch()
        for value, sample in entries:
            sketch.add(value, sample)
        return sketch

    def read(sketch: DistributionSketch) -> object:
        found = sketch.evidence()
        return found and (found.count, found.min, found.p50, found.p99, found.histogram, found.largest)

    merged = pickle.loads(pickle.dumps(made(left)))
    merged.merge(made(right))
    assert read(merged) == read(made(left + right))
