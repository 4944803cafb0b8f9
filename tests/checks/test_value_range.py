"""DL203 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case, not_applicable
from dldoctor.checks.value_range import ValueRange
from dldoctor.evidence import Evidence
from dldoctor.evidence.fields import Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.samples import PixelRange, RangeKind, SamplesEvidence
from dldoctor.finding import Finding, Level, Unjudged
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Pictures", "loader", dataset_length=1000, batch_size=16)


def judge(*ranges: PixelRange) -> list[Finding | Unjudged]:
    samples = SamplesEvidence(64, 0, 64, ranges=ranges)
    return list(ValueRange().judge(Case(Evidence(loader=SPEC, samples=samples), Intent())))


def seen(kind: RangeKind, count: int, low: float, high: float) -> PixelRange:
    return PixelRange("image", kind, Offenders(count, (3, 7)), low, high)


def told(*ranges: PixelRange) -> tuple[Level, str]:
    (found,) = judge(*ranges)
    assert isinstance(found, Finding)
    return found.level, found.message


def test_one_usual_scale_is_silent() -> None:
    """From 0 to 1, or around 0; an augmentation may mix the two."""
    assert judge(seen("unit", 64, 0.0, 1.0)) == []
    assert judge(seen("signed", 40, -2.1, 2.6), seen("unit", 24, 0.0, 0.9)) == []


def test_two_scales_are_an_error_with_both() -> None:
    """And with the samples of the rarer one."""
    assert told(seen("unit", 48, 0.0, 1.0), seen("bytes", 16, 0.0, 255.0)) == (
        Level.ERROR,
        "the values of `image` lie on 2 scales: 0 .. 1 in 48 (75%) and 0 .. 255 in 16 (25%) of 64 samples",
    )


def test_scaled_twice_and_never() -> None:
    """Each says what was done to the values."""
    assert told(seen("twice", 64, 0.0, 1 / 255)) == (
        Level.ERROR,
        "`image` lies in 0 .. 0.00392 in 64 of 64 samples: divided by 255 twice",
    )
    assert told(seen("unscaled", 64, -2.1, 1130.0)) == (
        Level.ERROR,
        "`image` lies in -2.1 .. 1,130: normalised without being divided by 255 before",
    )


def test_what_the_ends_of_normalisations_prove() -> None:
    """Beside pictures up to 1 a part that is normalised may be meant; two normalisations are not, where they are sure."""
    assert told(seen("normalised", 40, -1.0, 1.0), seen("unit", 24, 0.0, 1.0)) == (
        Level.WARNING,
        (
            "the values of `image` lie on 2 scales: 0 .. 1 in 24 and -1 .. 1, the ends of a usual normalisation, in 40 of "
            "64 samples"
        ),
    )
    level, message = told(seen("normalised-twice", 60, -11.37, 9.93), seen("unit", 4, 0.1, 0.9))
    assert level is Level.ERROR
    assert (
        message
        == "`image` lies in -11.4 .. 9.93: just the ends of two usual normalisations, one after the other"
    )
    level, message = told(seen("normalised-twice", 64, -3.0, 1.0))
    assert level is Level.INFO
    assert message.endswith("or of one with a mean and a deviation of your own")


def test_bytes_throughout_are_a_note() -> None:
    """Some models scale by themselves; a single picture that is nearly black changes nothing."""
    assert told(seen("bytes", 640, 0.0, 255.0))[0] is Level.INFO
    assert told(seen("bytes", 640, 0.0, 255.0), seen("twice", 1, 0.0, 0.003))[0] is Level.INFO


def test_other_pictures_are_not_judged() -> None:
    """Depth, medical, grey."""
    assert judge() == [not_applicable("no field holds pictures of three colours in real numbers")]
