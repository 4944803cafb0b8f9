"""Labels that stand elsewhere than their tokens, and padding that a loss may ignore by itself."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.eos_never_trained import EosNeverTrained
from dldoctor.checks.label_pad_trained import LabelPadTrained
from dldoctor.checks.labels_overwritten import LabelsOverwritten
from dldoctor.checks.labels_pre_shifted import LabelsPreShifted
from dldoctor.checks.mask_hides_tokens import MaskHidesTokens
from dldoctor.checks.pad_attended import PadAttended
from dldoctor.checks.padding_side import PaddingSide
from tests.checks.label_cases import GROUP, judged, levels, rows

OTHER = replace(GROUP, label_kind="other")
OFF = {"same": 0, "ahead": 0, "followed": 8, "pad_trained": 2, "eos_trained": 0, "eos_after": 1, "lost": 3}


def test_labels_as_far_off_as_the_padding_are_padded_on_another_side() -> None:
    """One cause, one finding: what follows from it is not told again."""
    table = rows(4, lag=-2, **OFF)
    (found,) = judged(PaddingSide(), table, group=OTHER)
    assert found.message == (
        "ids are padded behind the text and labels before it in 4 rows of 4: labels stand up to 2 positions from "
        "the tokens that they name"
    )
    assert levels(LabelsOverwritten(), table, group=OTHER) == []
    for check in (LabelPadTrained(), LabelsPreShifted(), EosNeverTrained()):
        assert levels(check, table, group=OTHER) == ["not-applicable"]


def test_labels_off_by_one_distance_were_moved() -> None:
    """Rows without padding, or with one that does not explain it."""
    table = [*rows(3, lag=3, **OFF), *rows(1, lag=5, **OFF)]
    (found,) = judged(LabelsPreShifted(), table, group=OTHER)
    assert found.level.value == "error"
    assert found.message == (
        "labels stand 3 positions before the tokens that they name in 3 of 4 rows, and 1 row by other distances"
    )
    assert levels(PaddingSide(), table, group=OTHER) == []


def test_padding_may_be_ignored_by_the_loss_itself() -> None:
    """Labels that nothing ignores, under a name that models of transformers do not take."""
    table, plain = rows(4, pad_trained=2), replace(GROUP, labels="targets")
    assert levels(LabelPadTrained(), table, group=plain) == ["info"]
    assert levels(LabelPadTrained(), table) == ["error"]
    assert levels(LabelPadTrained(), table, group=plain, intent={"ignore_index": -100}) == ["error"]
    assert levels(LabelPadTrained(), table, group=replace(plain, ignored=-100)) == ["error"]
    assert levels(LabelPadTrained(), rows(4, pad_trained=1), group=plain) == ["error"]


def test_padding_among_masked_words_and_classes_counts() -> None:
    """Whatever the labels are."""
    for kind in ("mlm", "classes"):
        group = replace(GROUP, label_kind=kind)
        assert levels(LabelPadTrained(), rows(4, pad_trained=2), group=group) == ["error"]
        assert levels(EosNeverTrained(), rows(4, eos_trained=0, eos_after=1), group=group) == [
            "not-applicable"
        ]


def test_a_mask_that_is_wrong_on_both_sides_is_told_once() -> None:
    """It hides words and shows padding: made from another id."""
    table = rows(4, hidden=1, hidden_at=0, attended=2)
    (found,) = judged(MaskHidesTokens(), table)
    assert found.message.startswith(
        "the mask is 0 on 4 real tokens in 4 rows of 4, and 1 on 8 padded positions; it seems made from another id"
    )
    assert levels(PadAttended(), table, intent={"task": "classification"}) == ["info"]
