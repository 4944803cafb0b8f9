"""DL612 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.order_not_mixed import OrderNotMixed
from dldoctor.evidence.coverage import Mix, OrderEvidence
from tests.checks.coverage_cases import coverage, judged, spec

SORTED = Mix(
    "label", 6, 480, 60, 8, 7, in_batch=0.9, in_next=0.8, chance=0.06, values_in_window=1.4, values_expected=5.9,
    first=("8 of 0", "8 of 0", "5 of 0, 3 of 1"),
)  # fmt: skip
PURE = replace(SORTED, in_next=0.02)
STREAM = spec(kind="iterable", num_workers=2, shuffle=None)


def test_a_sorted_order_is_a_warning_in_training_and_a_note_where_it_may_be_evaluation() -> None:
    """The fact is the same."""
    said = (
        "8 batches in a row hold 1.4 of 6 different `label` on average, where an order at random would give 5.9: the "
        "first hold 8 of 0 | 8 of 0 | 5 of 0, 3 of 1"
    )
    plain = spec(shuffle=False)
    assert judged(OrderNotMixed(), coverage(mixes=(SORTED,)), plain, role="train") == [("warning", said)]
    reading = "; fine for evaluation or a curriculum, a fault in training (declare `--role`)"
    assert judged(OrderNotMixed(), coverage(mixes=(SORTED,)), plain) == [("info", said + reading)]


def test_a_stream_that_shuffles_too_little_is_told_so() -> None:
    """That it shuffles says that it is for training."""
    order = OrderEvidence(True, "`Rows.__iter__ calls shuffle`", same=False)
    ((level, said),) = judged(OrderNotMixed(), coverage(mixes=(SORTED,), order=order), STREAM)
    assert level == "warning"
    assert "8 batches in a row of one worker hold" in said
    assert said.endswith(
        "; the stream shuffles (`Rows.__iter__ calls shuffle`), but over too few samples at a time"
    )


def test_pure_batches_in_an_order_at_random_and_ranks_with_labels_of_their_own_are_notes() -> None:
    """Both are chosen on purpose by some."""
    assert [level for level, _ in judged(OrderNotMixed(), coverage(mixes=(PURE,)), role="train")] == ["info"]
    of_ranks = replace(SORTED, in_batch=0.3, in_next=0.4, in_rank=0.35)
    ((level, said),) = judged(OrderNotMixed(), coverage(mixes=(of_ranks,)), role="train")
    assert (level, said[:35]) == ("info", "each rank gets some of 6 different ")


def test_a_mixed_order_and_agreement_by_chance_are_clean() -> None:
    """Two labels in few batches may follow one another."""
    assert judged(OrderNotMixed(), coverage(mixes=(replace(SORTED, in_batch=0.01, in_next=0.02),))) == []
    chance = replace(SORTED, in_batch=0.4, in_next=0.5, chance=0.2)
    assert judged(OrderNotMixed(), coverage(mixes=(chance,)), role="train") == []


def test_evaluation_and_samples_without_a_label_are_not_judged() -> None:
    """Each says why."""
    assert judged(OrderNotMixed(), coverage(mixes=(SORTED,)), role="eval") == [
        ("not-applicable", "the loader is declared eval")
    ]
    assert judged(OrderNotMixed(), coverage()) == [
        (
            "insufficient-evidence",
            "no field of the samples is known as a label or a source, or there are few batches",
        )
    ]
