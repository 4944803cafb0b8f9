"""DL711 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.float_transfer import FloatTransfer
from dldoctor.evidence.payload import FloatField, PayloadEvidence
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

FIELD = FloatField("image", "float32", 4_800_000, 1_200_000, 3e-8, 1 / 255, 0.0)
TRIAL = Trial("uint8", 15_000_000, 4_000_000, 3.7, 3.0, 4.0, 5)


def found(field: FloatField | None = FIELD, *trials: Trial) -> list[tuple[str, str, str]]:
    payload = PayloadEvidence(1, 4_800_000, 0, floats=(field,) if field else ())
    return judged(FloatTransfer(), replace(PROFILE, payload=payload, trials=trials))


def test_states_bytes_error_and_what_the_model_must_do() -> None:
    """Scale and offset are enough to go back."""
    message = (
        "`image` is 4.8 MB of float32 a batch and fits into 1.2 MB of uint8 with an error of 3e-08 "
        "(scale 0.00392157 and offset 0); handing a batch over takes 15 ms, as uint8 4 ms"
    )
    assert found(FIELD, TRIAL) == [
        ("warning", message, "Send uint8, and scale on the device as the first step of the model.")
    ]


def test_without_a_measured_gain_it_is_a_note() -> None:
    """Nothing is sent between processes, or little is saved."""
    assert [one[0] for one in found(FIELD)] == ["info"]
    assert [one[0] for one in found(FIELD, replace(TRIAL, now_ns=7_000_000))] == ["info"]


def test_floats_that_are_no_grid_or_small_are_no_finding() -> None:
    """The probe found none, or less than a megabyte."""
    assert found(None, TRIAL) == []
    assert found(replace(FIELD, now_bytes=900_000), TRIAL) == []
