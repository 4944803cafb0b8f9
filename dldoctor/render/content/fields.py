"""Statistics of each field, with notes on what is not the same in all samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dldoctor.evidence.distribution import Bin, Tally
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import ids_text
from dldoctor.render.content.previews import type_text
from dldoctor.render.numbers import count, counted, number
from dldoctor.report import Report


@dataclass(frozen=True)
class FieldRow:
    """One field of the samples, or of the batches."""

    path: str
    type: str
    seen: str
    """Samples (batches) that have it."""
    shapes: str
    min: str
    max: str
    mean: str
    std: str
    notes: tuple[str, ...] = ()
    """What differs between samples: types, shapes, absences, missing values."""
    troubles: tuple[str, ...] = ()
    """What no field should hold unnoticed: NaN, Inf, absences, constants."""
    bins: tuple[Bin, ...] = ()
    """Histogram of the element values."""
    quantiles: str = ""


def field_rows(fields: Sequence[FieldEvidence]) -> tuple[FieldRow, ...]:
    """Return one row a field."""
    return tuple(_row(field) for field in fields)


def roles_line(report: Report) -> str:
    """Return the role of each field as it was understood, with how sure that is."""
    named = []
    for path, found in report.inferred.items():
        sure = "" if found.confidence >= 0.9 else " (likely)" if found.confidence >= 0.7 else " (a guess)"
        named.append(f"{clean(path, 60)} = {clean(found.role.replace('_', ' '), 40)}{sure}")
    return f"understood as: {', '.join(named)}" if named else ""


def _row(field: FieldEvidence) -> FieldRow:
    noun = field.stage
    plural = "samples" if noun == "sample" else "batches"
    quantiles = field.quantiles or {}
    return FieldRow(
        path=clean(field.path, 120),
        type=type_text(field.container, field.dtype),
        seen=count(field.present),
        shapes=_shapes(field),
        min=number(field.min),
        max=number(field.max),
        mean=number(field.mean),
        std=number(field.std),
        notes=tuple(note for note in _notes(field, plural) if note),
        troubles=tuple(note for note in _troubles(field, noun, plural) if note),
        bins=field.histogram.histogram if field.histogram else (),
        quantiles=", ".join(f"{clean(name, 8)} {number(value)}" for name, value in quantiles.items()),
    )


def _shapes(field: FieldEvidence) -> str:
    kinds = max(field.shape_count, len(field.shapes))
    if kinds > 1:
        return f"{count(kinds)} shapes"
    return clean(field.shapes[0].value, 40) if field.shapes else ""


def _notes(field: FieldEvidence, plural: str) -> list[str]:
    notes = []
    if max(field.shape_count, len(field.shapes)) > 1:
        notes.append(_tally("shapes", field.shapes, field.shape_count))
    if len(field.containers) > 1:
        notes.append(_tally("types", field.containers))
    if len(field.dtypes) > 1:
        notes.append(_tally("dtypes", field.dtypes))
    if len(field.modes) > 1:
        notes.append(_tally("image modes", field.modes))
    if field.binary:
        notes.append("only 0 and 1")
    notes.append(_constant(field, plural))
    if _is_mask(field):
        notes.append(f"{count(field.inf_count)} -Inf, as in an additive mask")
    if 0 < field.checked < field.present:
        notes.append(f"values of {count(field.checked)} of {count(field.present)} {plural} looked at")
    return notes


def _tally(title: str, items: Sequence[Tally], total: int = 0, show: int = 4) -> str:
    shown = []
    for item in items[:show]:
        # The commonest value is the rule; ids matter where something is rare.
        rare = item.examples and item.count <= items[0].count / 4
        ids = f": {ids_text(item.examples, show=3)}" if rare else ""
        shown.append(f"{clean(item.value, 40) or 'scalar'} ({count(item.count)}{ids})")
    rest = max(total, len(items)) - len(shown)
    return f"{title} {', '.join(shown)}" + (f" and {count(rest)} more" if rest > 0 else "")


def _troubles(field: FieldEvidence, noun: str, plural: str) -> list[str]:
    bad = [
        f"{count(field.nan_count)} NaN" if field.nan_count else "",
        f"{count(field.inf_count)} Inf" if field.inf_count else "",
    ]
    nonfinite = "" if _is_mask(field) else " and ".join(part for part in bad if part)
    return [
        _offenders(f"{nonfinite} in", field.nonfinite, noun, plural) if nonfinite else "",
        _offenders("absent in", field.absent, noun, plural),
        _offenders("None in", field.nulls, noun, plural),
        _offenders("empty in", field.empty, noun, plural),
    ]


def _is_mask(field: FieldEvidence) -> bool:
    return field.negative_inf_only and not field.nan_count and field.inf_count > 0


def _constant(field: FieldEvidence, plural: str) -> str:
    value = f" ({number(field.constant_value)})" if field.constant_value is not None else ""
    return _offenders(f"all elements equal{value} in", field.constant, field.stage, plural)


def _offenders(what: str, who: Offenders, noun: str, plural: str) -> str:
    if not who.count:
        return ""
    ids = ids_text(who.samples, who.count, show=5)
    before = "" if noun == "sample" else "by first sample "
    return f"{what} {counted(who.count, noun, plural)}" + (f": {before}{ids}" if ids else "")
