"""Rates of runs, and what of a run counts."""

from __future__ import annotations

import pytest

from dldoctor.sweep.blocks import rate_of
from dldoctor.sweep.model import Setting
from dldoctor.sweep.plan import enough, probes, surface, wide_probe


def test_what_was_under_way_before_the_clock_began_is_not_counted() -> None:
    """Eight batches come at once, the others every 100 ms: ten a second."""
    stamps = [0.001 * n for n in range(9)] + [0.1 * n for n in range(1, 41)]
    found = rate_of(stamps, flying=8)
    assert found is not None
    assert found.value == pytest.approx(10)
    assert found.batches == 39


def test_an_uneven_run_has_a_wide_interval() -> None:
    even = rate_of([0.1 * n for n in range(60)], 2)
    uneven = rate_of([0.1 * n + (0.9 if n % 9 == 0 else 0.0) * 0.1 * n for n in range(60)], 2)
    assert even is not None
    assert even.half < 0.01
    assert uneven is None or uneven.half > even.half


def test_four_deliveries_are_the_least() -> None:
    assert rate_of([0.0, 1.0, 2.0], 0) is None
    assert rate_of([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 0) is not None


def test_a_run_ends_by_its_length_or_by_its_interval() -> None:
    assert not enough(5, 4, None, elapsed_s=2.0, planned_s=1.0)
    assert enough(5, 4, None, elapsed_s=3.0, planned_s=1.0)
    assert enough(20, 4, None, elapsed_s=1.0, planned_s=1.0)
    assert enough(100, 4, 0.01, elapsed_s=0.6, planned_s=1.0)
    assert not enough(100, 40, 0.01, elapsed_s=0.6, planned_s=1.0)


def test_probes_go_beyond_the_cores_only_where_waiting_is_seen() -> None:
    assert probes(2.0, 64) == (Setting(1, 2), Setting(2, 2))
    assert wide_probe(2.0, 64, blocked=0.8, busy_share=0.2) == Setting(8, 2)
    assert wide_probe(2.0, 64, blocked=0.1, busy_share=0.2) is None
    assert wide_probe(2.0, 64, blocked=0.8, busy_share=0.95) is None
    assert wide_probe(2.0, 2, blocked=0.8, busy_share=0.2) is None


def test_the_surface_holds_the_current_setting() -> None:
    found = surface(2.0, Setting(5, 3), blocked=0.0)
    assert Setting(5, 3) in found
    assert Setting(0, 0) in found
    assert max(one.workers for one in found) == 8
