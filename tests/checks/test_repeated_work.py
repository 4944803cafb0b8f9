"""DL715 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.repeated_work import RepeatedWork
from dldoctor.evidence.profile import StageShare
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

CACHE = Trial(
    "cache",
    4_000_000,
    20_000,
    200.0,
    200.0,
    200.0,
    6,
    "sample",
    measured=False,
    now_bytes=1_000,
    then_bytes=64_000,
)
DECODE = StageShare("decode", 32_000_000, 4_000_000, 0.8, 0.7, 0.9, 32_000_000, 0, 0, 4_000_000, 0.8)


def found(*trials: Trial, role: str | None = None, **settings: Any) -> list[tuple[str, str, str]]:
    return judged(RepeatedWork(), replace(PROFILE, trials=trials, stages=(DECODE,)), role=role, **settings)


def test_says_what_a_cache_saves_and_takes() -> None:
    """Computed, and said so."""
    message = (
        "items come out equal in every epoch and take 4 ms each, most of it decode (80%); "
        "keeping all of them takes 64 kB and saves 80% of a batch's time (computed)"
    )
    assert [one[:2] for one in found(CACHE)] == [("info", message)]


def test_what_does_not_fit_or_does_not_repeat_is_no_finding() -> None:
    """More than memory holds, cheap items, evaluation, random items."""
    assert found(replace(CACHE, then_bytes=10**12)) == []
    assert found(replace(CACHE, now_ns=900_000)) == []
    assert found(CACHE, role="eval") == []
    assert found() == []


def test_a_stream_has_no_meaning() -> None:
    """Nothing can be asked for twice."""
    assert [one[0] for one in found(CACHE, kind="iterable")] == ["not-applicable"]
