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


def test_a_small_gain_is_a_note() -> None:
    """7.5% of the time between two batches; or nothing is sent between processes, and the copy to a device is large."""
    assert [one[0] for one in found(FIELD, replace(TRIAL, now_ns=7_000_000))] == ["info"]
    ((level, message, _),) = found(replace(FIELD, now_bytes=48_000_000, then_bytes=12_000_000))
    assert level == "info"
    assert message.endswith(
        "; copying it to a device at 10 GB/s would save 9% of the time between two batches (computed)"
    )


def test_a_gain_of_nothing_is_not_told() -> None:
    """Neither the hand-over nor the copy matters, or the interval of the trial holds "no difference"."""
    said = (
        "`image` would fit into uint8, but neither handing it over nor copying 4.8 MB to a device takes so long "
        "that it matters"
    )
    assert found(FIELD) == [("clean", said, "")]
    little = replace(TRIAL, now_ns=2_890_000, then_ns=2_570_000, ratio=1.12, low=1.01)
    for trial in (little, replace(TRIAL, low=0.9), replace(TRIAL, now_ns=80_000_000, then_ns=78_000_000)):
        assert found(FIELD, trial) == [("clean", said, "")]


def test_floats_that_are_no_grid_or_small_are_no_finding() -> None:
    """The probe found none, or less than a megabyte."""
    assert found(None, TRIAL) == []
    assert found(replace(FIELD, now_bytes=900_000), TRIAL) == []
