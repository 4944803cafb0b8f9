"""DL716 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.oversized_decode import OversizedDecode
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

DRAFT = Trial("draft", 20_000_000, 5_000_000, 4.0, 3.0, 5.0, 8, "sample", detail="224x224")


def found(*trials: Trial, pixels: float = 20.0) -> list[tuple[str, str, str]]:
    return judged(OversizedDecode(), replace(PROFILE, trials=trials, decoded_pixels=pixels))


def test_says_what_a_smaller_decode_saves() -> None:
    """Measured on the same items."""
    message = (
        "images are decoded with 20 times the pixels that are used; with Pillow's draft mode at 224x224 a sample takes "
        "5 ms instead of 20 ms, 75% less, measured on your files"
    )
    advice = "Call `image.draft(None, (224, 224))` right after `Image.open`, or store smaller images."
    assert found(DRAFT) == [("warning", message, advice)]


def test_opencv_has_a_way_of_its_own() -> None:
    """The flag that was tried is the one to pass."""
    ((_, message, advice),) = found(replace(DRAFT, detail="cv2.IMREAD_REDUCED_COLOR_8"))
    assert "; decoded with `cv2.IMREAD_REDUCED_COLOR_8` a sample takes 5 ms instead of 20 ms" in message
    assert (
        advice
        == "Pass `cv2.IMREAD_REDUCED_COLOR_8` to `cv2.imread` or `cv2.imdecode`, or store smaller images."
    )


def test_little_waste_or_saving_is_no_finding() -> None:
    """Four times the pixels, 20% of the time, an unsure interval."""
    assert found(DRAFT, pixels=4.0) == []
    assert found(replace(DRAFT, then_ns=16_500_000)) == []
    assert found(replace(DRAFT, low=0.95)) == []


def test_without_a_trial_it_cannot_tell() -> None:
    """PNG has no draft mode."""
    assert [one[0] for one in found()] == ["insufficient-evidence"]
