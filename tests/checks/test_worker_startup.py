"""DL706 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.worker_startup import WorkerStartup
from dldoctor.evidence.profile import StartEvidence
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

START = StartEvidence(1_600_000_000, 1_500_000_000, 1_500_000_000, 10_000_000_000, each_epoch=True)


def found(
    start: StartEvidence = START, trials: tuple[Trial, ...] = (), **settings: Any
) -> list[tuple[str, str, str]]:
    return judged(WorkerStartup(), replace(PROFILE, start=start, trials=trials), **settings)


def test_compares_the_start_with_the_epoch() -> None:
    """15% of an epoch."""
    message = "each epoch waits 1.5 s for its workers before the first batch, 15% of an epoch of 10 s"
    assert found() == [("warning", message, "Pass `persistent_workers=True`.")]


def test_a_start_that_is_short_or_paid_once_is_no_finding() -> None:
    """Below a second, below 5%, or workers that stay."""
    assert found(replace(START, overhead_ns=1_000_000_000)) == []
    assert found(replace(START, epoch_ns=30_000_000_000)) == []
    assert found(replace(START, each_epoch=False)) == []


def test_a_start_that_is_slow_once_is_no_finding() -> None:
    """Started again, the workers came at once."""
    again = Trial("start", 1_500_000_000, 200_000_000, 7.5, 1.0, 1.0, 2, "epoch")
    assert found(trials=(again,)) == []
    assert [one[0] for one in found(trials=(replace(again, then_ns=1_400_000_000),))] == ["warning"]


def test_a_big_pickle_is_another_rule() -> None:
    """DL707 names the cause."""
    assert found(trials=(Trial("pickle", 1_200_000_000, 0, 1.0, 1.0, 1.0, 1, "worker"),)) == []


def test_what_cannot_be_judged_says_so() -> None:
    """No workers, or an epoch of unknown length."""
    assert [one[0] for one in found(num_workers=0)] == ["not-applicable"]
    assert [one[0] for one in found(replace(START, epoch_ns=None))] == ["insufficient-evidence"]
