"""What is said of rows that must belong together: what was compared, and how far it could be traced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.alignment import AlignmentEvidence, CollateTrace, TracedField
from dldoctor.render.clean_text import clean
from dldoctor.render.content.alignment_parts import part_lines
from dldoctor.render.numbers import count, counted
from dldoctor.report import Report


@dataclass(frozen=True)
class FieldRow:
    """One field of the batches."""

    name: str
    traced: str
    how: str


def found(report: Report) -> AlignmentEvidence | None:
    """Return the evidence, where rows were traced."""
    return report.evidence.alignment


def title(evidence: AlignmentEvidence) -> str:
    """Return what the section is about, in a few words."""
    trace = evidence.collate
    if trace is None or not trace.batches:
        return "no batch was put together"
    batches = counted(trace.batches, "batch", "batches")
    return f"{batches} put together by the collate, {counted(trace.rows, 'row')} compared"


def field_rows(evidence: AlignmentEvidence) -> tuple[FieldRow, ...]:
    """Return the fields, with what their rows are to the samples."""
    trace = evidence.collate
    return tuple(_row(one) for one in trace.fields) if trace is not None else ()


def _row(one: TracedField) -> FieldRow:
    how = ", ".join(f"{count(number)} {name}" for name, number in one.how.items())
    left = one.unjudged or ("" if one.traced else "tells nothing of its samples")
    return FieldRow(
        clean(one.path, 60),
        f"{count(one.traced)} of {count(one.rows)}",
        clean("; ".join(filter(None, (how, left))), 80),
    )


def lines(evidence: AlignmentEvidence) -> tuple[tuple[str, str], ...]:
    """Return what else was compared, as pairs of a name and a sentence."""
    return tuple((name, clean(text, 300)) for name, text in _lines(evidence))


def _lines(evidence: AlignmentEvidence) -> Iterator[tuple[str, str]]:
    if evidence.collate is not None:
        yield from _collate_lines(evidence.collate)
    yield from part_lines(evidence)
    workers = evidence.workers
    if workers is not None and workers.failed:
        yield "workers", workers.failed
    elif workers is not None and len(workers.fields) > 1:
        came = "none came apart" if not workers.apart else f"{count(workers.apart)} came apart"
        pauses = ", with pauses in shared files" if workers.provoked else ""
        yield (
            "workers",
            f"{counted(workers.items, 'item')} from {workers.workers} workers and from none{pauses}: {came}",
        )


def _collate_lines(trace: CollateTrace) -> Iterator[tuple[str, str]]:
    if trace.unjudged:
        yield "collate", trace.unjudged
    if trace.mixed:
        yield (
            "collate",
            "rows are blends of several samples; which fields of such a row belong together is not judged",
        )
    if trace.alone_failed:
        yield "collate", f"{counted(trace.alone_failed, 'sample')} could not be collated alone"
    if trace.without_source:
        yield "collate", f"{counted(trace.without_source, 'sample')} without an entry in a field of parts"
