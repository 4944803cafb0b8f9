"""DL208 on hand-made counts."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.label_out_of_range import LabelOutOfRange
from dldoctor.evidence import Evidence
from dldoctor.evidence.labels import ClassLabels, LabelsEvidence
from dldoctor.finding import Finding
from dldoctor.intent import Intent


def found(*values: int, certain: bool, classes: int | None = 5) -> list[Finding]:
    counts = tuple((value, 10) for value in values)
    field = ClassLabels(
        "b", "class_label", "int64", counts, min(values), max(values), 10 * len(values), certain=certain
    )
    case = Case(Evidence(labels=LabelsEvidence(classes=(field,))), Intent(num_classes=classes))
    return [one for one in LabelOutOfRange().judge(case) if isinstance(one, Finding)]


def test_labels_from_one_are_an_error_where_the_field_is_known() -> None:
    """And the advice is to subtract 1."""
    (one,) = found(1, 2, 3, 4, 5, certain=True)
    assert (one.level.value, one.advice) == ("error", "Subtract 1 from the labels.")
    assert one.message.endswith("outside 0 .. 4: 5 (10); they count from 1")


def test_a_guessed_field_is_a_note_with_both_readings() -> None:
    """Nothing but its values makes it one of classes."""
    (one,) = found(1, 2, 3, 4, 5, certain=False)
    assert one.level.value == "info"
    assert one.message == (
        "`b` holds the whole numbers 1 .. 5: if these are the 5 classes, they count from 1, and 10 labels of 50 (20%) "
        "are out of range; right if it holds something else"
    )


def test_a_guessed_field_that_does_not_fit_is_silent() -> None:
    """Counts from 0, other numbers, no number of classes."""
    assert found(0, 1, 2, 3, 4, certain=False) == []
    assert found(1, 2, 3, 4, 5, 6, certain=False) == []
    assert found(1, 2, 3, certain=False) == []
    assert found(1, 2, 3, 4, 5, certain=False, classes=None) == []
