"""DL503 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.not_reproducible import NotReproducible
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import FirstDifference, ReproductionEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Words", "loader")
EQUAL = ReproductionEvidence(1234, 16)
DIFFERENT = replace(EQUAL, difference=FirstDifference(3, ("ids", "mask")), source="hash seed")


def judge(measured: ReproductionEvidence) -> list[object]:
    return list(NotReproducible().judge(Case(Evidence(loader=SPEC, reproduction=measured))))


def test_the_first_difference_and_its_source_are_told() -> None:
    """Batch, fields, and what made both runs equal."""
    (found,) = judge(DIFFERENT)
    assert found.level is Level.WARNING
    assert found.message == (
        "two runs with seed 1234 differ from batch 3 of 16 on (in `ids` and `mask`): the order of a set or of"
        " `hash()` of texts decides: with one PYTHONHASHSEED both runs are equal"
    )


@pytest.mark.parametrize(
    "source", ["hash seed", "entropy", "clock", "workers", "unknown", "", "order of completion"]
)
def test_each_source_has_an_advice(source: str) -> None:
    """A source that was not found counts as unknown."""
    (found,) = judge(replace(DIFFERENT, source=source))
    assert (found.level, found.facts["source"]) == (Level.WARNING, source or "unknown")
    assert found.advice.endswith(".")


def test_order_given_up_by_design_is_info() -> None:
    """The user asked for `in_order=False`."""
    (found,) = judge(replace(DIFFERENT, source="order of completion", in_order=False))
    assert found.level is Level.INFO


def test_equal_runs_are_clean_and_failed_ones_not_judged() -> None:
    """No batch is no proof."""
    assert judge(EQUAL) == []
    assert judge(replace(EQUAL, failed="KeyError: 'x'")) == [
        insufficient("a fresh run of the target failed: KeyError: 'x'")
    ]
    assert judge(replace(EQUAL, batches=0)) == [insufficient("there was no batch to compare")]
