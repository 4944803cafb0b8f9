"""Gains from paired runs, and what is recommended."""

from __future__ import annotations

import pytest

from dldoctor.sweep.choose import Gain, Paired, gain_of, settle
from dldoctor.sweep.model import Setting

NOW, MORE, LESS = Setting(2, 2), Setting(4, 2), Setting(1, 2)


def runs(*rates: float, impact: float = 0.0) -> list[Paired]:
    return [Paired(rate, 0.02, impact) for rate in rates]


def test_a_clear_gain_is_shown() -> None:
    gain = gain_of(runs(10, 10.1), runs(15, 15.1))
    assert gain.value == pytest.approx(0.4976, abs=1e-3)
    assert gain.shown
    assert not gain.lost


def test_runs_that_differ_among_themselves_show_nothing() -> None:
    gain = gain_of(runs(10, 13), runs(12, 14))
    assert gain.low < 0 < gain.high


def test_foreign_work_can_only_have_slowed_a_run_down() -> None:
    """What took up to half of the current setting's runs may be all of the gain."""
    assert not gain_of(runs(10, 10, impact=0.5), runs(15, 15)).shown
    assert gain_of(runs(10, 10), runs(15, 15, impact=0.5)).shown
    assert gain_of(runs(10, 10, impact=0.1), runs(35, 60, impact=0.7)).shown


@pytest.mark.parametrize(
    ("pick", "gain", "noisy", "full", "expected"),
    [
        (MORE, Gain(0.5, 0.4, 0.6), False, False, ("change", MORE)),
        (MORE, Gain(0.5, 0.4, 0.6), True, False, ("change", MORE)),
        (MORE, Gain(0.5, -0.1, 0.9), True, False, ("too-noisy", None)),
        (MORE, Gain(0.01, 0.005, 0.02), False, False, ("keep", NOW)),
        (MORE, Gain(0.01, -0.02, 0.02), False, True, ("cores-full", NOW)),
        (MORE, Gain(-0.2, -0.3, -0.1), False, False, ("keep", NOW)),
        (LESS, Gain(0.0, -0.01, 0.01), False, False, ("fewer", LESS)),
        (LESS, Gain(-0.3, -0.4, -0.2), False, False, ("keep", NOW)),
    ],
)
def test_the_verdict_follows_the_interval(
    pick: Setting, gain: Gain, noisy: bool, full: bool, expected: tuple[str, Setting | None]
) -> None:
    found = settle(NOW, pick, gain, cores_full=full, satisfied=False, noisy=noisy)
    assert found == expected
