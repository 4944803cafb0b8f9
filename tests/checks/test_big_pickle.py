"""DL707 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.big_pickle import BigPickle
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

SENT = Trial(
    "pickle",
    300_000_000,
    0,
    1.0,
    1.0,
    1.0,
    1,
    "worker",
    now_bytes=150_000_000,
    parts=(("contents", 149_000_000, 290_000_000),),
)


def found(*trials: Trial, **settings: Any) -> list[tuple[str, str, str]]:
    return judged(BigPickle(), replace(PROFILE, trials=trials), **{"start_method": "spawn", **settings})


def test_names_the_attribute() -> None:
    """Bytes decide, or seconds."""
    message = (
        "the dataset is 150 MB of pickle and takes 300 ms to make for one worker, 2 times each start, "
        "of it `contents` 149 MB and 290 ms"
    )
    assert [one[:2] for one in found(SENT)] == [("warning", message)]
    assert [one[0] for one in found(replace(SENT, now_bytes=5, now_ns=1_100_000_000))] == ["warning"]


def test_a_small_dataset_is_no_finding() -> None:
    """100 MB and one second may be."""
    assert found(replace(SENT, now_bytes=100_000_000, now_ns=1_000_000_000)) == []


def test_what_cannot_be_judged_says_so() -> None:
    """Fork, no workers, and a dataset that refuses."""
    assert [one[0] for one in found(SENT, start_method="fork")] == ["not-applicable"]
    assert [one[0] for one in found(SENT, num_workers=0)] == ["not-applicable"]
    assert [one[0] for one in found()] == ["insufficient-evidence"]
