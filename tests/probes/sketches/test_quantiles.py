"""The quantile sketch against sorted values."""

from __future__ import annotations

import math
import pickle
import random

from hypothesis import given
from hypothesis import strategies as st

from dldoctor.evidence.distribution import Bin
from dldoctor.probes.sketches import QuantileSketch
from dldoctor.probes.sketches.quantiles import BUCKET_SPAN, EXACT_UP_TO, RELATIVE_ERROR

QS = (0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 1.0)

numbers = st.one_of(
    st.floats(min_value=1e-6, max_value=1e9),
    st.floats(min_value=-1e9, max_value=-1e-6),
    st.integers(min_value=-5000, max_value=5000).map(float),
    st.just(0.0),
)
many = st.lists(numbers, min_size=1, max_size=400)
anything = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=200)


def sketch_of(values: list[float]) -> QuantileSketch:
    sketch = QuantileSketch()
    for value in values:
        sketch.add(value)
    return sketch


def nearest_rank(values: list[float], q: float) -> float:
    return sorted(values)[max(1, math.ceil(q * len(values) - 1e-9)) - 1]


def seen(sketch: QuantileSketch) -> tuple[object, ...]:
    """All that a reader can see of a sketch."""
    read = tuple(sketch.quantile(q) for q in QS) if sketch.count else ()
    return (sketch.count, sketch.min, sketch.max, sketch.integral, read, sketch.histogram(20))


@given(many)
def test_a_quantile_lies_within_one_percent_of_the_exact_one(values: list[float]) -> None:
    """The error is relative to the value, for negative values and zero too."""
    sketch = sketch_of(values)
    far = [
        (q, sketch.quantile(q), nearest_rank(values, q))
        for q in QS
        if abs(sketch.quantile(q) - nearest_rank(values, q))
        > RELATIVE_ERROR * abs(nearest_rank(values, q)) * 1.000001
    ]
    assert far == []


@given(st.lists(numbers, min_size=1, max_size=EXACT_UP_TO))
def test_quantiles_of_few_values_are_exact(values: list[float]) -> None:
    """Small datasets get the values that they hold."""
    assert [sketch_of(values).quantile(q) for q in QS] == [nearest_rank(values, q) for q in QS]


def test_quantiles_of_whole_numbers_up_to_a_hundred_are_exact() -> None:
    """Label counts and short lengths are not blurred, however many there are."""
    values = [float(i % 101) for i in range(5000)]
    steps = [i / 200 for i in range(201)]
    assert [sketch_of(values).quantile(q) for q in steps] == [nearest_rank(values, q) for q in steps]


@given(anything, anything)
def test_merging_gives_what_one_sketch_of_all_values_gives(left: list[float], right: list[float]) -> None:
    """The state depends on the values alone, so both orders and the whole agree."""
    forward, backward = sketch_of(left), sketch_of(right)
    forward.merge(sketch_of(right))
    backward.merge(sketch_of(left))
    assert seen(forward) == seen(backward) == seen(sketch_of(left + right))


@given(many, many, many)
def test_merging_is_associative(a: list[float], b: list[float], c: list[float]) -> None:
    """A tree of merges gives the same as a chain."""
    chain = sketch_of(a)
    chain.merge(sketch_of(b))
    chain.merge(sketch_of(c))
    tail = sketch_of(b)
    tail.merge(sketch_of(c))
    tree = sketch_of(a)
    tree.merge(tail)
    assert seen(chain) == seen(tree)


@given(anything)
def test_adding_in_bulk_equals_adding_one_by_one(values: list[float]) -> None:
    """The fast path is the same sketch."""
    bulk = QuantileSketch()
    bulk.add_all(values)
    assert seen(bulk) == seen(sketch_of(values))


@given(st.lists(st.tuples(numbers, st.integers(1, 50)), min_size=1, max_size=40))
def test_a_weight_stands_for_so_many_equal_values(pairs: list[tuple[float, int]]) -> None:
    """A weighted sketch equals one of the values written out."""
    weighted = QuantileSketch()
    for value, weight in pairs:
        weighted.add(value, weight)
    assert seen(weighted) == seen(sketch_of([value for value, weight in pairs for _ in range(weight)]))


@given(anything, st.integers(1, 20))
def test_bars_of_a_histogram_tile_the_range_and_count_everything(values: list[float], bins: int) -> None:
    """No value is lost, bars touch, and there are at most as many as asked for."""
    sketch = sketch_of(values)
    bars = sketch.histogram(bins)
    touching = [bar.high for bar in bars[:-1]] == [bar.low for bar in bars[1:]]
    ends = bars[0].low == sketch.min and bars[-1].high >= sketch.max
    assert (sum(bar.count for bar in bars), len(bars) <= bins, touching, ends) == (
        len(values),
        True,
        True,
        True,
    )


def test_few_whole_numbers_get_a_bar_each() -> None:
    """A histogram of counts reads as counts."""
    assert sketch_of([3.0, 5.0, 5.0, 4.0]).histogram(20) == (
        Bin(3.0, 4.0, 1),
        Bin(4.0, 5.0, 1),
        Bin(5.0, 5.0, 2),
    )


def test_one_value_gives_one_bar() -> None:
    """A constant has no width to divide."""
    assert sketch_of([2.5] * 100).histogram(20) == (Bin(2.5, 2.5, 100),)


def test_values_that_are_not_finite_are_counted_apart() -> None:
    """They have no place among quantiles."""
    sketch = sketch_of([1.0, math.nan, math.inf, -math.inf])
    assert (sketch.count, sketch.nonfinite, sketch.max) == (1, 3, 1.0)


def test_memory_is_bounded_over_all_magnitudes() -> None:
    """Beyond 17 decades the smallest magnitudes share a bucket; large ones keep their precision."""
    source = random.Random(0)
    values = [10 ** source.uniform(-300, 300) for _ in range(30_000)]
    sketch = sketch_of(values)
    exact = nearest_rank(values, 0.99)
    assert abs(sketch.quantile(0.99) - exact) <= RELATIVE_ERROR * exact
    assert len(sketch._positive) <= BUCKET_SPAN


def test_the_largest_floats_do_not_overflow() -> None:
    """Both ends of the floats can be read back."""
    sketch = sketch_of([1.7976931348623157e308, -1.7976931348623157e308] * 100)
    assert [sketch.quantile(q) for q in (0.0, 1.0)] == [-1.7976931348623157e308, 1.7976931348623157e308]
    assert sum(bar.count for bar in sketch.histogram()) == 200


def test_a_sketch_survives_pickling() -> None:
    """It travels from a worker with the batch."""
    sketch = sketch_of([float(i) for i in range(1000)])
    assert seen(pickle.loads(pickle.dumps(sketch))) == seen(sketch)
