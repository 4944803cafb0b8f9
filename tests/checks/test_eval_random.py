"""DL513 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.eval_random import EvalRandom
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import ProtocolEvidence, Reread
from dldoctor.evidence.workers import EvalValue, RandomnessEvidence
from dldoctor.finding import Level
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Subset", "loader")
VARIES = EvalValue(4, "image", 5, 5, ("0.1", "0.2"))
MEASURED = RandomnessEvidence(
    4,
    False,
    2,
    12,
    (4,),
    persistent=False,
    start_method="fork",
    eval_values=(VARIES,),
    shared_dataset="data.Images",
)
EVAL = Intent(role="eval")


def judge(
    measured: RandomnessEvidence, intent: Intent = EVAL, protocol: ProtocolEvidence | None = None
) -> list[object]:
    evidence = Evidence(loader=SPEC, randomness=measured, protocol=protocol)
    return list(EvalRandom().judge(Case(evidence, intent)))


def test_values_and_the_shared_dataset_are_told() -> None:
    """An error for a loader that is declared eval."""
    (found,) = judge(MEASURED)
    assert (found.level, found.samples) == (Level.ERROR, (4,))
    assert found.message == (
        "a loader declared eval returns other values on each read: index 4, read 5 times, gave 5 different values"
        " of `image`; the split borrows its items from a `data.Images` that another split may augment"
    )


def test_equal_values_are_clean() -> None:
    """As evaluation should be."""
    assert judge(replace(MEASURED, eval_values=(replace(VARIES, distinct=1),))) == []


def test_changed_storage_has_its_own_rule() -> None:
    """DL116 has said it."""
    changed = ProtocolEvidence(10, rereads=(Reread(4, equal=False, storage_changed="dataset.images"),))
    assert judge(MEASURED, protocol=changed) == []


def test_without_a_declared_role_it_is_a_note_for_loaders_in_order() -> None:
    """Who trains shuffles; a loader in order may be for either."""
    ordered = replace(SPEC, shuffle=False)
    (found,) = EvalRandom().judge(Case(Evidence(loader=ordered, randomness=MEASURED), Intent()))
    assert (found.level, found.message.rpartition("; ")[2]) == (
        Level.INFO,
        "a fault if it is for evaluation, and as it should be for training",
    )
    unjudged = [
        not_applicable(
            "only for a loader that is declared `--role eval` or `--role generate`, or reads in order"
        )
    ]
    assert judge(MEASURED, Intent()) == unjudged
    train = Case(Evidence(loader=ordered, randomness=MEASURED), Intent(role="train"))
    assert list(EvalRandom().judge(train)) == unjudged
    assert judge(replace(MEASURED, eval_values=())) == [insufficient("no item could be read several times")]
