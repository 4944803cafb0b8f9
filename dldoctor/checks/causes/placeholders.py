"""Why placeholders and features of a row differ; the checks of counts and runs share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from dldoctor.checks.base import Case
from dldoctor.evidence.placeholders import PlaceholderRow, PlaceholdersEvidence, Stream
from dldoctor.finding import Level, SampleId, SourceRef

Cause = Literal["stated", "truncated", "tags", "runs"]
Kind = Literal["order", "unexpanded", "missing", "extra", "length"]
NOWHERE = -1
ALIKE = 0.9
"""Share of wrong runs that lack the same number, before they are told as one thing."""


def placeholders_of(case: Case) -> PlaceholdersEvidence:
    """Return the evidence; checks that need it are not called without it."""
    assert case.evidence.placeholders is not None
    return case.evidence.placeholders


def where_made(case: Case) -> SourceRef | None:
    """Return the place of the code that makes the rows: the collate, or else the dataset."""
    spec = case.evidence.loader
    return (spec.collate_ref or spec.dataset_ref) if spec else None


def wrong_rows(seen: PlaceholdersEvidence, cause: Cause) -> list[PlaceholderRow]:
    """Return the rows that one cause explains; every wrong row has just one."""
    return [row for row in seen.rows if not row.fits and cause_of(seen, row) == cause]


def cause_of(seen: PlaceholdersEvidence, row: PlaceholderRow) -> Cause:
    """Return what explains a wrong row."""
    stream = seen.streams[row.stream]
    if any(
        # What states the features is itself at odds with the pixels.
        field.against == stream.features and field.kind in ("grid", "sizes") and one.batch == row.batch
        for field in seen.counts
        for one in field.wrong
    ):
        return "stated"
    if is_truncated(seen, row):
        return "truncated"
    if stream.tie in ("one", "numbered") or _mistagged(seen, row):
        return "tags"
    return "runs"


def is_truncated(seen: PlaceholdersEvidence, row: PlaceholderRow) -> bool:
    """Whether a row lost placeholders because it was cut: at its end, or at its beginning."""
    if row.placeholders >= row.expected or row.row == NOWHERE:
        return False
    if row.source > row.real:
        return True
    if seen.limit is not None and row.real >= seen.limit:
        return True
    last = row.slots[-1] if row.slots else None
    begun = last is not None and 1 < last.length < last.expected
    return row.ends_inside and begun and row.real == seen.longest_row


def _mistagged(seen: PlaceholdersEvidence, row: PlaceholderRow) -> bool:
    """Whether a sample of the batch has other tags than images, which shifts all that follow."""
    return seen.tags is not None and any(one.batch == row.batch for one in seen.tags.examples)


def kinds_of(rows: Sequence[PlaceholderRow]) -> dict[Kind, list[PlaceholderRow]]:
    """Return rows by what is wrong with their runs, all rows of one batch together where only the order is."""
    found: dict[Kind, list[PlaceholderRow]] = {}
    by_batch: dict[tuple[int, int], list[PlaceholderRow]] = {}
    for row in rows:
        by_batch.setdefault((row.batch, row.stream), []).append(row)
    for group in by_batch.values():
        slots = [slot for row in group for slot in row.slots]
        swapped = sorted(slot.length for slot in slots) == sorted(slot.expected for slot in slots)
        for row in group:
            found.setdefault("order" if swapped else _kind(row), []).append(row)
    return _short_alike(found)


def _short_alike(found: dict[Kind, list[PlaceholderRow]]) -> dict[Kind, list[PlaceholderRow]]:
    """Tell runs that nearly all lack the same number as one thing: short runs of one and two end as none and one."""
    kinds: tuple[Kind, ...] = ("length", "unexpanded", "missing")
    short = [row for kind in kinds for row in found.get(kind, ())]
    bad = [slot for row in short for slot in row.slots if not slot.fits]
    by = Counter((slot.expected - slot.length) / max(1, len(slot.items)) for slot in bad)
    alike = max(by.values(), default=0) >= ALIKE * len(bad)
    if "length" not in found or not alike or len({row.stream for row in short}) > 1:
        return found
    together = sorted(short, key=lambda row: (row.batch, row.row))
    return {
        kind: together if kind == "length" else rows
        for kind, rows in found.items()
        if kind == "length" or kind not in kinds
    }


def _kind(row: PlaceholderRow) -> Kind:
    bad = [slot for slot in row.slots if not slot.fits]
    if all(slot.length == 1 < slot.expected for slot in bad):
        return "unexpanded"
    if all(slot.length == 0 for slot in bad):
        return "missing"
    return "extra" if all(slot.expected == 0 for slot in bad) else "length"


def sure(seen: PlaceholdersEvidence, rows: Iterable[PlaceholderRow], level: Level) -> Level:
    """Return the level, or `info` where only values tell the placeholder and most rows contradict them."""
    for stream in {row.stream for row in rows}:
        one = seen.streams[stream]
        if one.known_by == "values" and 2 * one.wrong_rows > one.rows:
            return Level.INFO
    return level


def samples_of(rows: Iterable[PlaceholderRow]) -> tuple[SampleId, ...]:
    """Return the samples behind rows."""
    return tuple(dict.fromkeys(row.sample for row in rows if row.sample is not None))


def named(stream: Stream) -> str:
    """Return the placeholder as text and id: ``<image> (id 7)``."""
    ids = ", ".join(str(one) for one in stream.placeholder[:3])
    return f"`{stream.text}` (id {ids})" if stream.text else f"id {ids}"


def why_not(seen: PlaceholdersEvidence) -> str:
    """Return why nothing was judged; empty where something was."""
    if not seen.streams:
        return "the batches hold no images, clips or sounds beside token ids"
    if any(stream.tie is not None for stream in seen.streams):
        return ""
    return seen.streams[0].why
