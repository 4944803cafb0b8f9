"""DL713 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.bursty import Bursty
from dldoctor.evidence.profile import StallEvidence
from tests.checks.profiles import PROFILE, judged

STALLS = StallEvidence(71, 12, 1_000_000, 84_000_000, 996_000_000, 6, 11, 0.9, "other", "data.py", 33)


def found(stalls: StallEvidence | None = STALLS) -> list[tuple[str, str, str]]:
    return judged(Bursty(), replace(PROFILE, stalls=stalls))


def test_tells_the_period_and_its_cost() -> None:
    """With the place where the time goes."""
    message = (
        "every 6 batches of a worker one takes 84 ms instead of 1 ms: 12 stalls in 71 batches, "
        "90% of them at that period, 93% of the time"
    )
    assert found() == [("warning", message, "Spread this work over the batches in between, or do it ahead.")]


def test_stalls_without_a_period_are_no_finding() -> None:
    """Half of them, over 8 periods, are needed."""
    assert found(replace(STALLS, explained=0.49)) == []
    assert found(replace(STALLS, periods=7)) == []
    assert found(replace(STALLS, period=None)) == []


def test_cheap_stalls_are_no_finding() -> None:
    """Below 5% of the time."""
    assert found(replace(STALLS, lost_ns=3_000_000)) == []


def test_few_batches_are_too_little() -> None:
    """The probe gives nothing then."""
    assert [one[0] for one in found(None)] == ["insufficient-evidence"]
