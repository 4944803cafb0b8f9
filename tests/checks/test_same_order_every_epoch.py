"""DL606 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.same_order_every_epoch import SameOrderEveryEpoch
from dldoctor.evidence.coverage import OrderEvidence
from tests.checks.coverage_cases import coverage, judged

FIRST = (("5", "1", "4"), ("5", "1", "4"))


def found(shuffles: bool | None, same: bool | None, unannounced: bool | None = None, announced=("sampler",)):
    why = "the sampler shuffles" if shuffles else "unknown"
    order = OrderEvidence(shuffles, why, announced, same, unannounced, FIRST)
    return coverage(order=order)


def test_an_equal_order_of_a_shuffling_sampler_is_an_error() -> None:
    """Whether it was told the epoch, or there is nothing to tell."""
    assert judged(SameOrderEveryEpoch(), found(True, True)) == [
        (
            "error",
            (
                "two epochs have the same order, although the epoch was announced (sampler): both begin with 5, 1 "
                "and 4 (the sampler shuffles)"
            ),
        )
    ]
    deaf = judged(SameOrderEveryEpoch(), found(True, True, announced=()))
    assert "and nothing in it takes a `set_epoch`" in deaf[0][1]
    silent = judged(SameOrderEveryEpoch(), found(True, True, announced=()), set_epoch="none")
    assert "as the loop announces no epoch" in silent[0][1]


def test_an_order_that_changes_only_when_told_is_a_note() -> None:
    """The loop must call it."""
    assert [level for level, _ in judged(SameOrderEveryEpoch(), found(True, False, True))] == ["info"]
    assert judged(SameOrderEveryEpoch(), found(True, False, False)) == []


def test_an_order_that_may_be_meant_is_a_note_and_one_in_order_is_clean() -> None:
    """A sampler that does not say; one that does not shuffle."""
    assert [level for level, _ in judged(SameOrderEveryEpoch(), found(None, True))] == ["info"]
    assert judged(SameOrderEveryEpoch(), found(False, True)) == []


def test_evaluation_and_single_epochs_are_not_judged() -> None:
    """Nothing to compare, or a fixed order is right."""
    assert [s for s, _ in judged(SameOrderEveryEpoch(), found(True, True), role="eval")] == ["not-applicable"]
    assert [s for s, _ in judged(SameOrderEveryEpoch(), found(True, None))] == ["insufficient-evidence"]
    assert [s for s, _ in judged(SameOrderEveryEpoch(), coverage())] == ["insufficient-evidence"]
