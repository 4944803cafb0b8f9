"""What is said of all token rows together: lengths, padding, trained shares, cuts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import counted, share

_LENGTHS = ("p50", "p90", "p99", "longest")


def sum_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return trained shares, lengths and cuts, one labelled line each."""
    rows = [row for row in labels.rows if row.real]
    return tuple(_lines(labels, rows)) if rows else ()


def _lines(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> Iterator[tuple[str, str]]:
    for place, group in enumerate(labels.groups):
        own = [row for row in rows if row.group == place]
        of = f" of `{clean(group.tokens, 40)}`" if len(labels.groups) > 1 else ""
        if own:
            yield "lengths", f"{_lengths(own)}{of}"
    real, width = sum(row.real for row in rows), sum(row.real + row.left + row.right for row in rows)
    yield "padding", f"{share((width - real) / width)} of {width:,} positions"
    if trained := _trained(labels, rows):
        yield "trained", trained
    spoken = [
        f"{clean(name, 20)} {share(trained / total)} of {total:,}"
        for name, (total, trained) in labels.turns.items() if total
    ]  # fmt: skip
    if spoken:
        yield "by speaker", ", ".join(spoken)
    if labels.limit:
        yield "limit", _limit(labels, rows)
    yield from _packs(labels, rows)


def _trained(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> str:
    """Return the share of targets; a text that is only read (an encoder's) has none to count."""
    groups = [group for group in labels.groups if group.label_kind != "none"]
    own = [row for row in rows if labels.groups[row.group].label_kind != "none"]
    real, trained = sum(row.real for row in own), sum(row.trained for row in own)
    if not real:
        return ""
    names = ", ".join(dict.fromkeys(f"`{clean(group.tokens, 40)}`" for group in groups))
    of = f" of {names}" if len(groups) < len(labels.groups) else ""
    place = ", each at its own position" if all(group.label_kind == "mlm" for group in groups) else ""
    none = sum(not row.trained for row in own)
    return (
        f"{trained:,} of {real:,} real tokens{of} ({share(trained / real)}){place}; rows without any: {none}"
    )


def _packs(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> Iterator[tuple[str, str]]:
    # A model of masked words reads pairs of sentences as one row: these need be no documents.
    for name, noun, paired in (("packed", "document", False), ("segments", "segment", True)):
        held = [
            row for row in rows
            if row.documents > 1 and (labels.groups[row.group].label_kind == "mlm") == paired
        ]  # fmt: skip
        if held:
            number = sum(row.documents for row in held)
            yield name, f"{counted(number, noun)} in {counted(len(held), 'row')}"


def _lengths(rows: Sequence[LabelRow]) -> str:
    ordered = sorted(row.real for row in rows)
    last = len(ordered) - 1
    values = [ordered[round(last * part)] for part in (0.5, 0.9, 0.99, 1.0)]
    return (
        ", ".join(f"{name} {value:,}" for name, value in zip(_LENGTHS, values, strict=True)) + " real tokens"
    )


def _limit(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> str:
    at = sum(row.real >= (labels.limit or 0) for row in rows)
    text = f"{labels.limit} ({labels.limit_from}); rows as long: {at}"
    trial = labels.trial
    if trial is not None:
        text += f"; read again without it: {trial.cut} of {trial.samples} are longer, up to {trial.longest}"
        if trial.keeps_95 and trial.keeps_99:
            text += f"; {trial.keeps_95} keeps whole answers in 95%, {trial.keeps_99} in 99%"
    return text
