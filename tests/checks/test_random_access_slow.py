"""DL714 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.random_access_slow import RandomAccessSlow
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

TRIAL = Trial("sequential", 13_000_000, 1_000_000, 13.0, 12.0, 14.0, 8, "sample")


def found(*trials: Trial, **settings: Any) -> list[tuple[str, str, str]]:
    return judged(RandomAccessSlow(), replace(PROFILE, trials=trials), **{"shuffle": True, **settings})


def test_compares_both_ways() -> None:
    """With the interval of the ratio."""
    message = "in random order an item takes 13 ms, in a row 1 ms: 13 times as long (12 to 14)"
    assert [one[:2] for one in found(TRIAL)] == [("warning", message)]


def test_a_ratio_of_three_or_fast_items_are_no_finding() -> None:
    """Microseconds do not matter."""
    assert found(replace(TRIAL, ratio=3.0)) == []
    assert found(replace(TRIAL, now_ns=150_000)) == []
    assert found(replace(TRIAL, low=0.9)) == []


def test_what_cannot_be_judged_says_so() -> None:
    """No shuffling, a stream, too few items."""
    assert [one[0] for one in found(TRIAL, shuffle=False)] == ["not-applicable"]
    assert [one[0] for one in found(TRIAL, kind="iterable")] == ["not-applicable"]
    assert [one[0] for one in found()] == ["insufficient-evidence"]
