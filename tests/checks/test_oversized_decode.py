"""DL716 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.oversized_decode import OversizedDecode
from dldoctor.evidence.profile import Trial
from tests.checks.profiles import PROFILE, judged

DRAFT = Trial("draft", 20_000_000, 5_000_000, 4.0, 3.0, 5.0, 8, "sample", detail="224x224")


def found(*trials: Trial, pixels: float = 20.0) -> list[tuple[str, str, str]]:
    return judged(OversizedDecode(), replace(PROFILE, trials=trials, decoded_pixels=pixels))


def test_says_what_a_smaller_decode_saves() -> None:
    """Measured on the same items."""
    message = (
        "images are decoded with 20 times the pixels that are used; decoding at about 224x224 takes 5 ms a sample "
        "instead of 20 ms, 75% less, measured with Pillow's draft mode"
    )
    advice = "Call `image.draft(None, (224, 224))` right after `Image.open`, or store smaller images."
    assert found(DRAFT) == [("warning", message, advice)]


def test_little_waste_or_saving_is_no_finding() -> None:
    """Four times the pixels, 20% of the time, an unsure interval."""
    assert found(DRAFT, pixels=4.0) == []
    assert found(replace(DRAFT, then_ns=16_500_000)) == []
    assert found(replace(DRAFT, low=0.95)) == []


def test_without_a_trial_it_cannot_tell() -> None:
    """PNG has no draft mode."""
    assert [one[0] for one in found()] == ["insufficient-evidence"]
