"""What is odd about a row of tokens, in words."""

from __future__ import annotations

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelKind
from dldoctor.render.numbers import counted


def odd_of(row: LabelRow, kind: LabelKind) -> tuple[str, ...]:
    """Return what is odd about a row whose labels are of a kind."""
    if row.lag:
        # All else follows from it.
        return (f"its labels stand {counted(abs(row.lag), 'position')} from the tokens that they name",)
    has_labels = kind != "none"
    of_text = kind not in ("none", "mlm", "classes")
    facts = (
        # Which words are masked is drawn, and of a short row it may be none.
        (has_labels and kind != "mlm" and not row.trained, "no token is learned"),
        (row.pad_trained, f"{counted(row.pad_trained, 'padded position')} learned"),
        (row.hidden, f"{counted(row.hidden, 'real token')} hidden by the mask"),
        (row.attended, f"{counted(row.attended, 'padded position')} attended to"),
        (of_text and row.trained and row.eos_after and not row.eos_trained, "its end is ignored"),
        (row.lost, f"{counted(row.lost, 'token')} masked in the sample, learned in the batch"),
        (row.bos_lead > 1, "two start tokens"),
        (row.eos_tail > 1, "two end tokens"),
        (row.beyond, f"{counted(row.beyond, 'id')} outside the vocabulary"),
        (row.late > 0, f"learned {counted(row.late, 'token')} too late"),
        (row.leaks, f"{counted(row.leaks, 'document')} can see another"),
        (of_text and row.bound_trained, f"documents that begin with a target: {row.bound_trained}"),
        (row.placeholder_trained, f"{counted(row.placeholder_trained, 'placeholder')} learned"),
    )
    return tuple(text for is_so, text in facts if is_so)
