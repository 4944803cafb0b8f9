"""How often each label, and each combination of modalities, occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import ids_text
from dldoctor.render.numbers import count, counted, share
from dldoctor.report import Report

MOST_LABELS = 50
"""Distinct values up to which a field is shown as labels without a role that says so."""


@dataclass(frozen=True)
class ValueCount:
    """One value."""

    value: str
    count: str
    share: str
    fraction: float
    """Share of the samples that were counted, for a bar."""
    examples: str


@dataclass(frozen=True)
class ValueCounts:
    """The values of one field, commonest first."""

    title: str
    values: tuple[ValueCount, ...]
    left_out: int
    """Different values that are not in `values`."""


def value_counts(report: Report) -> tuple[ValueCounts, ...]:
    """Return the counts of label-like fields, of structures and of modalities."""
    return tuple(_all(report))


def _all(report: Report) -> Iterator[ValueCounts]:
    for field in report.evidence.sample_fields:
        if _is_label(report, field):
            kinds = field.distinct or len(field.counts)
            total = field.present - field.nulls.count
            yield _counts(
                f"{clean(field.path, 80)} has {counted(kinds, 'value')}", field.counts, total, kinds
            )
    samples = report.evidence.samples
    if samples is None:
        return
    for title, tallies in (
        ("modalities of a sample", samples.modalities),
        ("structures of a sample", samples.structures),
    ):
        if len(tallies) > 1:
            yield _counts(title, tallies, sum(item.count for item in tallies), len(tallies))


def _is_label(report: Report, field: FieldEvidence) -> bool:
    if not field.counts:
        return False
    role = report.inferred.get(field.path)
    if role and role.confidence >= 0.7:
        return role.role in ("class_label", "group")
    kinds = field.distinct or len(field.counts)
    # Values that hardly repeat are contents, not labels.
    return 1 < kinds <= MOST_LABELS and kinds <= field.present / 4


def _counts(title: str, tallies: Sequence[Tally], total: int, kinds: int) -> ValueCounts:
    values = []
    for item in tallies:
        fraction = item.count / total if total else 0.0
        examples = ids_text(item.examples, show=3)
        shown = clean(item.value, 60) or "(empty)"
        values.append(ValueCount(shown, count(item.count), share(fraction), fraction, examples))
    return ValueCounts(title, tuple(values), max(kinds - len(values), 0))
