"""DL210 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.class_imbalance import ClassImbalance
from dldoctor.evidence import Evidence
from dldoctor.evidence.labels import ClassLabels, LabelsEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, Level, Unjudged
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Pictures", "loader", loader_length=100, batch_size=4, shuffle=True)
EVEN = ClassLabels("label", "class_label", "int64", ((0, 100), (1, 100)), 0, 1, 200)
ONE = replace(EVEN, values=((3, 200),))
RARE = replace(EVEN, values=((0, 196), (1, 4)))


def judge(*fields: ClassLabels, spec: LoaderSpec = SPEC, batches: int = 50) -> list[Finding | Unjudged]:
    labels = LabelsEvidence(classes=fields, batches=batches)
    return list(ClassImbalance().judge(Case(Evidence(loader=spec, labels=labels), Intent())))


def the(found: list[Finding | Unjudged]) -> Finding:
    (one,) = found
    assert isinstance(one, Finding)
    return one


def test_even_classes_are_silent() -> None:
    """Nothing stands out."""
    assert judge(EVEN) == []


def test_one_value_is_a_warning_where_batches_are_mixed() -> None:
    """A whole epoch in order says as much as a shuffled part of one."""
    found = the(judge(ONE))
    assert (found.level, found.message) == (
        Level.WARNING,
        "`label` is 3 in all 200 labels that were read",
    )
    in_order = replace(SPEC, shuffle=False)
    assert the(judge(ONE, spec=in_order)).level is Level.INFO
    assert the(judge(ONE, spec=in_order, batches=100)).level is Level.WARNING


def test_rare_events_are_a_note() -> None:
    """With what an answer that never varies would reach."""
    found = the(judge(RARE))
    assert found.level is Level.INFO
    assert found.message == (
        "`label` is 0 in 98% of 200 labels; a model that always says 0 is right as often"
    )


def test_weights_that_balance_nothing_are_a_warning() -> None:
    """They were given to balance; a little more of one class than of the other is chance."""
    weighted = replace(SPEC, sampler_weights=400, shuffle=None)
    assert the(judge(RARE, spec=weighted)).level is Level.WARNING
    assert judge(replace(EVEN, values=((0, 110), (1, 90))), spec=weighted) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((), not_applicable("no field holds class labels")),
        ((replace(EVEN, kind="segmentation_mask"),), not_applicable("no field holds class labels")),
        ((replace(ONE, elements=20),), insufficient("fewer than 64 labels were read")),
    ],
)
def test_what_cannot_be_judged(fields: tuple[ClassLabels, ...], expected: Unjudged) -> None:
    """Background fills most masks, and few labels are alike by chance."""
    assert judge(*fields) == [expected]
