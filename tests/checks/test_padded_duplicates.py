"""DL605 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.padded_duplicates import PaddedDuplicates
from tests.checks.coverage_cases import coverage, judged, spec

PADDED = coverage(
    {(0, 1): (1, 11)},
    items=21,
    epoch={"issued": 22, "distinct": 21, "once": 20, "more": 1, "repeated": ("0",)},
)


def test_a_repeat_in_evaluation_is_a_warning() -> None:
    """With the bound on the metric."""
    said = "21 items on 2 ranks become 22: 0 comes again, which can shift a mean by 4.5% of its range"
    assert judged(PaddedDuplicates(), PADDED, spec(shuffle=False), role="eval") == [("warning", said)]
    both = judged(PaddedDuplicates(), PADDED, spec(shuffle=False))
    assert both == [("info", f"{said} if this loader is for evaluation (declare `--role`)")]


def test_training_and_declared_repeats_are_silent() -> None:
    """A few repeats do no harm in training; a metric may remove them."""
    assert [s for s, _ in judged(PaddedDuplicates(), PADDED)] == ["not-applicable"]
    assert [s for s, _ in judged(PaddedDuplicates(), PADDED, role="train")] == ["not-applicable"]
    meant = judged(PaddedDuplicates(), PADDED, role="eval", replacement=True)
    assert meant == [("not-applicable", "repeats are declared")]


def test_no_repeat_is_clean() -> None:
    """22 items on two ranks."""
    assert judged(PaddedDuplicates(), coverage(items=22), role="eval") == []
