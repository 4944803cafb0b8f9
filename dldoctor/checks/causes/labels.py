"""What the rows of a token batch suffer from; the checks of text labels share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from dldoctor.checks.base import Case
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import ClassLabels, LabelGroup, LabelsEvidence, ShownToken
from dldoctor.finding import Level, SampleId

EndCause = Literal["masked", "truncated", "absent"]
BareCause = Literal["truncated", "template", "turns", "masked-before", "empty"]
TUNED = ("sft", "preference", "seq2seq", "asr")
"""Tasks in which a text that ends must be taught to end."""
CLEARLY = 0.01
"""Share of rows from which a fault of single rows is an error."""


def labels_of(case: Case) -> LabelsEvidence:
    """Return the evidence; checks that need it are not called without it."""
    assert case.evidence.labels is not None
    return case.evidence.labels


def group_of(labels: LabelsEvidence, row: LabelRow) -> LabelGroup:
    """Return the fields that a row is made of."""
    return labels.groups[row.group]


def class_fields(case: Case, *, guessed: bool = False) -> list[ClassLabels]:
    """Return the fields of the batches that hold class labels; those that are only guessed where asked for."""
    return [
        one for one in labels_of(case).classes
        if not one.fractional and one.elements and (one.certain or guessed)
    ]  # fmt: skip


def causal_rows(labels: LabelsEvidence) -> list[LabelRow]:
    """Return rows with labels that follow the text (not those of masked words), where they stand by their tokens."""
    kinds = ("same", "shifted", "unclear", "other")
    return [
        row for row in labels.rows
        if row.real and not row.lag and group_of(labels, row).label_kind in kinds
    ]  # fmt: skip


def displaced_rows(labels: LabelsEvidence, *, by_padding: bool) -> list[LabelRow]:
    """Return rows of which the labels stand elsewhere than the tokens that they name.

    By padding: as far off as the row is padded, since ids and labels are padded on different sides.
    """
    rows = [row for row in labels.rows if row.lag]
    padded = sum(row.lag in (row.left, -row.right) for row in rows)
    return rows if rows and by_padding == (2 * padded > len(rows)) else []


def samples_of(rows: Iterable[LabelRow]) -> tuple[SampleId, ...]:
    """Return the samples behind rows."""
    return tuple(dict.fromkeys(row.sample for row in rows if row.sample is not None))


def sure(labels: LabelsEvidence, rows: Iterable[LabelRow], level: Level) -> Level:
    """Return the level, or `info` where the roles of the fields are only a guess."""
    return level if all(group_of(labels, row).certain for row in rows) else Level.INFO


def by_share(bad: Sequence[LabelRow], rows: Sequence[LabelRow]) -> Level:
    """Return `error` from 1% of the rows or one whole batch, else `warning`."""
    sizes = Counter((row.batch, row.group) for row in rows)
    hit = Counter((row.batch, row.group) for row in bad)
    whole = any(hit[key] == sizes[key] and sizes[key] > 1 for key in hit)
    return Level.ERROR if whole or len(bad) >= CLEARLY * len(rows) else Level.WARNING


def paths_of(labels: LabelsEvidence, rows: Iterable[LabelRow], name: str = "tokens") -> list[str]:
    """Return the paths that the groups of rows have under a name."""
    found = (getattr(group_of(labels, row), name) for row in rows)
    return [path for path in dict.fromkeys(found) if path]


def named(labels: LabelsEvidence, token: int) -> str:
    """Return an id with its text, where a shown row has it."""
    for shown in labels.shown:
        for one in shown.tokens:
            if one.id == token and one.text:
                return f"{token} ({one.text!r})"
    return str(token)


def excerpt(
    labels: LabelsEvidence, row: LabelRow, at: int, before: int = 4, after: int = 4
) -> list[dict[str, Any]]:
    """Return the positions around one of a row that is shown, in words; empty where it is not, or without a place."""
    if at < 0:
        return []
    for shown in labels.shown:
        if (shown.batch, shown.row, shown.group) == (row.batch, row.row, row.group):
            near = [one for one in shown.tokens if at - before <= one.at <= at + after]
            told = [_in_words(one) for one in near]
            empty = [key for key in ("label", "mask") if all(one[key] is None for one in told)]
            return [{key: value for key, value in one.items() if key not in empty} for one in told]
    return []


_IS = {
    "trained": "learned",
    "ignored": "read only",
    "special": "special",
    "placeholder": "a placeholder",
    "padding": "padding",
}


def _in_words(token: ShownToken) -> dict[str, Any]:
    return {
        "position": token.at,
        "token": f"{token.id} ({token.text!r})" if token.text else token.id,
        "label": token.label,
        "mask": token.mask,
        "is": _IS[token.role],
    }


def first_shown(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> LabelRow:
    """Return the first row of which the ids are shown, or else the first."""
    known = {(shown.batch, shown.row, shown.group) for shown in labels.shown}
    return next((row for row in rows if (row.batch, row.row, row.group) in known), rows[0])


def is_cut(labels: LabelsEvidence, row: LabelRow) -> bool:
    """Whether a row was cut: its sample was longer, or it is as long as the limit allows."""
    if row.source > row.real and row.documents == 1:
        return True
    if labels.limit is None or row.eos_last or row.source == row.real != labels.limit:
        return False
    return row.real >= labels.limit and row.documents == 1


def masks_prompt(labels: LabelsEvidence) -> bool:
    """Whether labels leave out words at the beginning of rows or between: it is answers that are trained.

    Placeholders of pictures are ignored in any case, before the words and between them.
    """

    def prompted(row: LabelRow) -> bool:
        pictures = max(0, row.placeholders - row.placeholder_trained)
        return row.first > row.left + 1 + pictures or row.spans > 1 + pictures

    return any(prompted(row) for row in causal_rows(labels) if row.trained)


def tuned(case: Case) -> bool:
    """Whether texts are to be answered: declared, or seen from masked prompts."""
    intent = case.intent
    return (
        intent.task in TUNED
        or intent.completion_only
        or (intent.task is None and masks_prompt(labels_of(case)))
    )


def end_cause(labels: LabelsEvidence, row: LabelRow) -> EndCause | None:
    """Return why a row with targets trains no end token; None where it trains one or nobody can tell."""
    words = labels.vocabulary
    if not row.trained or row.eos_trained or (words.end is not None and row.last_trained_id == words.end):
        return None
    if row.known == "pad" and words.pad == words.eos:
        return None  # padding and the end token are one id, and nothing tells them apart
    if row.eos_after or row.eos_passed:
        return None if row.hidden else "masked"  # hidden by the attention mask: DL308 tells
    return "truncated" if is_cut(labels, row) else "absent"


def bare_cause(labels: LabelsEvidence, row: LabelRow, *, mismatch_printed: bool = False) -> BareCause:
    """Return why a row has no target."""
    if not row.plain:
        return "empty"
    if is_cut(labels, row):
        return "truncated"
    if row.plain <= row.placeholders:
        return "empty"  # pictures without a word
    marker = labels.marker
    if marker is not None and row.marker == 0:
        return "template"
    several = max(row.marker, row.turns) >= 2
    if mismatch_printed or (
        row.marker >= 1 and several and row.was_trained <= 0 and _others_are_trained(labels)
    ):
        return "turns"
    return "masked-before"


def bare_causes(labels: LabelsEvidence, *, mismatch_printed: bool = False) -> dict[BareCause, list[LabelRow]]:
    """Return the rows without any target by cause."""
    bare = bare_rows(labels)
    found = counted_by(bare, lambda row: bare_cause(labels, row, mismatch_printed=mismatch_printed))
    if not {"turns", "masked-before"} <= set(found) or mismatch_printed:
        return found
    # Counting turns wrongly spares rows of one turn: where these are bare too, something else masked them all.
    masked = sorted(found["turns"] + found["masked-before"], key=lambda row: (row.batch, row.row, row.group))
    return {
        cause: masked if cause == "masked-before" else rows
        for cause, rows in found.items()
        if cause != "turns"
    }


def _others_are_trained(labels: LabelsEvidence) -> bool:
    return any(row.trained and row.marker == 1 for row in labels.rows)


def bare_rows(labels: LabelsEvidence) -> list[LabelRow]:
    """Return rows without any target, of groups that have labels."""
    return [row for row in causal_rows(labels) if not row.trained]


def counted_by(rows: Iterable[LabelRow], key: Callable[[LabelRow], Any]) -> dict[Any, list[LabelRow]]:
    """Return rows by a key, in the order of their first row."""
    found: dict[Any, list[LabelRow]] = {}
    for row in rows:
        value = key(row)
        if value is not None:
            found.setdefault(value, []).append(row)
    return found
