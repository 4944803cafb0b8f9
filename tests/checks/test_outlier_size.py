"""DL215 on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.causes.outliers import far_above
from dldoctor.checks.outlier_size import OutlierSize
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.distribution import Bin, Distribution, Extreme
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Unjudged


def spread(values: list[float], kept: int = 3) -> Distribution:
    """Summarise values exactly as a probe would, with nearest-rank quantiles."""
    ordered = sorted(values)
    total = len(ordered)

    def rank(share: float) -> float:
        return ordered[max(0, -int(-share * total // 1) - 1)]

    top = sorted(range(total), key=lambda n: (-values[n], n))[:kept]
    low, width = ordered[0], (ordered[-1] - ordered[0]) / 20 or 1.0
    bars = [0] * 20
    for value in values:
        bars[min(19, int((value - low) / width))] += 1
    return Distribution(
        total, ordered[0], ordered[-1], sum(values) / total, 1.0, rank(0.01), rank(0.5), rank(0.9), rank(0.99),
        histogram=tuple(Bin(low + n * width, low + (n + 1) * width, count) for n, count in enumerate(bars)),
        largest=tuple(Extreme(n, values[n]) for n in top),
    )  # fmt: skip


def judged(lengths: list[float], batch_bytes: list[float] | None = None, **evidence) -> list[tuple]:
    field = FieldEvidence("text", "sample", "str", None, present=len(lengths), lengths=spread(lengths))
    batches = BatchesEvidence(8, 8, True, bytes=spread(batch_bytes)) if batch_bytes else None
    loader = LoaderSpec("map", "DataLoader", "Set", "loader", batch_size=8)
    case = Case(Evidence(loader=loader, fields=(field,), batches=batches, **evidence))
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.samples, f.message, f.advice)
        for f in OutlierSize().judge(case)
    ]


USUAL = [100.0 + n % 50 for n in range(63)]


def test_one_long_text_is_named_with_what_a_limit_would_cut() -> None:
    """Its size against the middle, the rest, the batches, and the share above the limit."""
    found = judged([*USUAL, 5000.0], [8000.0] * 7 + [400_000.0])
    message = (
        "`text` is up to 5,000 characters (sample 63), while half of 64 samples have at most 118 characters and "
        "nearly all at most 149 characters; the largest batch takes 400 kB, the median one 8 kB"
    )
    advice = "Cut or split texts above 149 characters: that touches 1.6% of the samples."
    assert found == [("warning", (63,), message, advice)]


def test_two_long_texts_do_not_hide_each_other() -> None:
    """The others are looked at without both."""
    assert [found[:2] for found in judged([*USUAL, 5000.0, 4000.0])] == [("warning", (63, 64))]


def test_four_times_is_the_limit() -> None:
    """At four times the rest it is silent, above it speaks."""
    assert judged([*USUAL, 596.0]) == []
    assert [found[0] for found in judged([*USUAL, 597.0])] == ["warning"]


def test_a_text_that_is_cut_before_the_batch_is_a_note() -> None:
    """All batches have one size."""
    assert [found[0] for found in judged([*USUAL, 5000.0], [8000.0] * 8)] == ["info"]


def test_short_texts_are_no_peak() -> None:
    """Ten times of little is little."""
    assert judged([5.0 + n % 3 for n in range(63)] + [100.0]) == []


def test_few_samples_do_not_tell_what_is_usual() -> None:
    """Below 32 samples there is no judgement."""
    reason = "31 samples read, at least 32 are needed"
    assert judged([*USUAL[:30], 5000.0]) == [("insufficient-evidence", reason)]


def test_equal_lengths_are_not_judged() -> None:
    """Nothing differs."""
    reason = "no field differs in length and no sample in bytes"
    assert judged([50.0] * 64) == [("not-applicable", reason)]


def test_a_batch_above_twice_the_median_counts_if_few_items_cause_it() -> None:
    """Three of 64 texts at three times the rest double the largest batch."""
    found = judged([*USUAL[:61], 450.0, 440.0, 430.0], [8000.0] * 7 + [24_000.0])
    assert [one[:2] for one in found] == [("warning", (61, 62, 63))]


def test_two_kinds_of_length_are_no_outliers() -> None:
    """Half short and half long."""
    assert judged([20.0, 400.0] * 32, [8000.0] * 4 + [20_000.0] * 4) == []


def test_one_sample_is_told_once() -> None:
    """A long text makes a large sample; that is one outlier."""
    samples = SamplesEvidence(64, 0, 64, bytes=spread([*[n * 100 for n in USUAL], 5e6]))
    assert len(judged([*USUAL, 5000.0], samples=samples)) == 1


def test_a_large_image_is_found_by_its_bytes() -> None:
    """Images have no length."""
    samples = SamplesEvidence(64, 0, 64, bytes=spread([*[n * 1000 for n in USUAL], 9e6]))
    loader = LoaderSpec("map", "DataLoader", "Set", "loader", batch_size=8)
    found = list(OutlierSize().judge(Case(Evidence(loader=loader, samples=samples))))
    assert [one.samples for one in found if not isinstance(one, Unjudged)] == [(63,)]


@pytest.mark.parametrize(("count", "reference"), [(64, 10.0), (150, 10.0), (1000, 10.0)])
def test_the_others_are_judged_without_the_candidate(count: int, reference: float) -> None:
    """Nearest rank, in small sets and large ones."""
    found = far_above(spread([10.0] * (count - 1) + [100.0]), 4)
    assert found is not None
    assert (found.found, found.reference) == ((Extreme(count - 1, 100.0),), reference)


def test_many_long_items_are_not_outliers() -> None:
    """Five of a hundred are a part of the data."""
    assert far_above(spread([10.0] * 95 + [100.0] * 5), 4) is None
