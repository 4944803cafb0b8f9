"""DL708 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.many_small_tensors import ManySmallTensors
from dldoctor.evidence.payload import PayloadEvidence
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

MANY = PayloadEvidence(320, 640_000, 0)
TRIAL = Trial("stack", 20_000_000, 1_000_000, 20.0, 15.0, 25.0, 5)


def found(
    payload: PayloadEvidence | None = MANY, *trials: Trial, **settings: Any
) -> list[tuple[str, str, str]]:
    return judged(ManySmallTensors(), replace(PROFILE, payload=payload, trials=trials), **settings)


def test_says_what_stacking_gains() -> None:
    """Of the 40 ms between two batches 19 ms go."""
    message = (
        "a batch is 320 tensors of 2 kB on average and takes 20 ms from the worker to you, "
        "the same bytes stacked 1 ms (48% of the time between two batches)"
    )
    assert [one[:2] for one in found(MANY, TRIAL)] == [("warning", message)]


def test_a_gain_that_is_small_or_unsure_is_a_note() -> None:
    """Below 20%, or an interval that holds no difference."""
    assert [one[0] for one in found(MANY, replace(TRIAL, now_ns=8_000_000))] == ["info"]
    assert [one[0] for one in found(MANY, replace(TRIAL, low=0.9))] == ["info"]


def test_64_tensors_are_no_finding() -> None:
    """One more is looked at."""
    assert found(replace(MANY, tensors=64), TRIAL) == []


def test_what_cannot_be_judged_says_so() -> None:
    """No workers, no batch, no trial."""
    assert [one[0] for one in found(MANY, TRIAL, num_workers=0)] == ["not-applicable"]
    assert [one[0] for one in found(None)] == ["insufficient-evidence"]
    assert [one[0] for one in found(MANY)] == ["insufficient-evidence"]
