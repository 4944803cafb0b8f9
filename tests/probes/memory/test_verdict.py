"""What a series means, on series made by hand."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from dldoctor.probes.memory.fit import best, block_medians, pooled_slope
from dldoctor.probes.memory.verdict import copied_bytes, growth_of, overall

_spec = importlib.util.spec_from_file_location("memory_series", Path(__file__).parent / "series.py")
assert _spec is not None
assert _spec.loader is not None
made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made)
MB = made.MB
FLAT = made.full([20, 20, 20], [100, 100, 100])


@pytest.mark.parametrize("planted", [5_000, 20_000, 100_000])
def test_a_leak_has_the_planted_slope(planted: int) -> None:
    """Within 10%, the interval around it."""
    found = growth_of(made.fine(lambda samples, _: planted * samples, batches=80), FLAT)
    assert found.verdict == "leak"
    assert found.model == "linear"
    assert found.per_1000_samples is not None
    assert abs(found.per_1000_samples.value / (1000 * planted) - 1) < 0.1
    assert found.per_1000_samples.low <= found.per_1000_samples.value <= found.per_1000_samples.high
    assert found.more_samples is None


def test_a_process_that_stays_as_it_is_does_not_grow() -> None:
    """Scatter is no growth."""
    assert growth_of(made.fine(lambda *_: 0.0), FLAT).verdict == "plateau"


def test_growth_that_ends_with_the_first_turn_is_a_plateau() -> None:
    """A cache that has seen every sample."""
    cache = made.fine(lambda samples, turn: 50_000 * min(samples, 320))
    found = growth_of(cache, FLAT)
    assert found.verdict == "plateau"
    assert found.first_per_1000_samples is not None
    assert 40e6 < found.first_per_1000_samples < 60e6


@pytest.mark.parametrize("tau", [60.0, 200.0, 400.0])
def test_growth_that_levels_off_is_a_plateau(tau: float) -> None:
    """A buffer that fills, fast or slowly."""
    found = growth_of(made.fine(made.saturating(30 * MB, tau), turns=4, batches=80), FLAT)
    assert found.verdict == "plateau"


def test_one_jump_is_a_plateau() -> None:
    """A table that is made late."""
    assert growth_of(made.fine(lambda samples, _: 20 * MB * (samples > 500)), FLAT).verdict == "plateau"


def test_workers_that_start_afresh_show_a_saw_tooth() -> None:
    """Growth in each life, which ends with it."""
    points = made.fine(lambda samples, _: 50_000 * samples, turns=2, batches=20, lives=3)
    found = growth_of(points, FLAT, resets=True)
    assert found.verdict == "saw-tooth"
    assert found.per_1000_samples is not None
    assert abs(found.per_1000_samples.value / 50e6 - 1) < 0.1


def test_a_cache_in_workers_that_start_afresh_is_a_plateau() -> None:
    """Each life fills it, and no further."""
    points = made.fine(lambda samples, _: 50_000 * min(samples, 160), turns=2, batches=20, lives=3)
    assert growth_of(points, FLAT, resets=True).verdict == "plateau"


def test_what_the_allocator_gives_back_is_no_leak() -> None:
    """Growth that `malloc_trim` takes away again."""
    points = made.fine(lambda samples, _: 20_000 * samples, batches=80)
    assert growth_of(points, FLAT, released=30 * MB).verdict == "allocator"


def test_copying_on_write_is_told_by_conservation() -> None:
    """Private memory rises as shared memory falls, and nothing grows."""
    full = made.full([10, 30, 42, 45], [160, 140, 128, 125])
    found = growth_of(made.fine(lambda *_: 0.0), full)
    assert (found.verdict, found.copied_bytes) == ("copy-on-write", 35 * MB)


def test_a_leak_beside_copying_is_still_a_leak() -> None:
    """Both are told, each with its own bytes."""
    full = made.full([10, 40, 80, 120], [160, 140, 128, 125])
    found = growth_of(made.fine(lambda samples, _: 80_000 * samples), full)
    assert (found.verdict, found.copied_bytes) == ("leak", 35 * MB)


def test_copying_is_not_looked_for_where_nothing_is_shared_by_the_dataset() -> None:
    """The interpreter's own objects are copied in every forked process."""
    full = made.full([10, 30, 42, 45], [160, 140, 128, 125])
    assert growth_of(made.fine(lambda *_: 0.0), full, copies=False).verdict == "plateau"


def test_each_life_is_compared_with_its_own_start() -> None:
    """A worker that starts afresh has not copied what the one before it had."""
    full = made.full([10, 12], [160, 158])
    assert copied_bytes(full) == 2 * MB


def test_a_short_series_is_not_judged() -> None:
    """And says how many more samples it takes."""
    found = growth_of(made.fine(lambda samples, _: 50_000 * samples, turns=1, batches=4), FLAT)
    assert (found.verdict, found.more_samples) == ("not-enough-data", 64)


def test_the_worst_process_decides() -> None:
    """A leak in one worker is a leak."""
    assert overall(["plateau", "not-enough-data", "leak"]) == "leak"
    assert overall(["plateau", "copy-on-write"]) == "copy-on-write"
    assert overall([]) == "not-enough-data"


def test_slopes_are_pooled_within_lives() -> None:
    """Levels of lives may differ."""
    series = [[(float(x), 3.0 * x + level) for x in range(10)] for level in (0.0, 500.0)]
    slope = pooled_slope(series)
    assert slope is not None
    assert (slope.value, slope.low, slope.high) == (3.0, 3.0, 3.0)
    assert pooled_slope([[(0.0, 1.0), (1.0, 2.0)]]) is None


def test_models_are_told_apart() -> None:
    """Each shape has its own name."""
    xs = [float(x) for x in range(30)]
    assert best([(x, 5e6) for x in xs]) == "constant"
    assert best([(x, 1e6 * x) for x in xs]) == "linear"
    assert best([(x, 3e7 * (x > 12)) for x in xs]) == "step"
    assert best([(1.0, 1.0)]) is None
    assert len(block_medians([(x, x) for x in range(1000)], 24)) == 24
