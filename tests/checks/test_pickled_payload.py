"""DL709 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.pickled_payload import PickledPayload
from dldoctor.evidence.payload import PayloadEvidence
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

ARRAYS = PayloadEvidence(0, 0, 16_000_000, (("audio", "ndarray", 16_000_000),))
TRIAL = Trial("tensors", 30_000_000, 10_000_000, 3.0, 2.0, 4.0, 5)


def found(
    payload: PayloadEvidence | None = ARRAYS, *trials: Trial, **settings: Any
) -> list[tuple[str, str, str]]:
    return judged(PickledPayload(), replace(PROFILE, payload=payload, trials=trials), **settings)


def test_names_the_field_and_what_tensors_gain() -> None:
    """Half of the time between two batches."""
    message = (
        "`audio` sends 16 MB of ndarray in each batch by pickle; the batch takes 30 ms from the worker to you, "
        "as tensors 10 ms (50% of the time between two batches)"
    )
    assert found(ARRAYS, TRIAL) == [("warning", message, "Turn `audio` into a tensor in the collate.")]


def test_a_gain_that_is_small_or_unsure_is_a_note() -> None:
    """Below 20%, or an interval that holds no difference."""
    assert [one[0] for one in found(ARRAYS, replace(TRIAL, now_ns=12_000_000))] == ["info"]
    assert [one[0] for one in found(ARRAYS, replace(TRIAL, low=1.0))] == ["info"]


def test_a_megabyte_is_no_finding() -> None:
    """Small arrays may go by pickle."""
    assert found(replace(ARRAYS, pickled_bytes=1_000_000), TRIAL) == []


def test_what_cannot_be_judged_says_so() -> None:
    """No workers, no batch, no trial."""
    assert [one[0] for one in found(ARRAYS, TRIAL, num_workers=0)] == ["not-applicable"]
    assert [one[0] for one in found(None)] == ["insufficient-evidence"]
    assert [one[0] for one in found(ARRAYS)] == ["insufficient-evidence"]
