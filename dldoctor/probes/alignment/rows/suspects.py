"""Which samples the evidence names: they are the first to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.boxes import FORMATS

NOTE = "suspects"
EACH = 8
"""Samples of one kind: a fault of every sample must not hide the others."""


def note_suspects(session: Session, groups: Iterable[Sequence[SampleId]]) -> None:
    """Leave the samples for the probe that shows rows, beside those of earlier probes."""
    known = session.read_note(NOTE) or []
    session.leave_note(NOTE, [*known, *([_plain(one) for one in group] for group in groups if group)])


def noted_suspects(session: Session) -> list[list[SampleId]]:
    """Return the noted groups; the samples of one were in one batch, or have one fault."""
    groups = session.read_note(NOTE) or []
    return [[StreamPosition(*one) if isinstance(one, list) else one for one in group] for group in groups]


def _plain(one: SampleId) -> Any:
    return [one.worker, one.ordinal] if isinstance(one, StreamPosition) else one


def of_alignment(found: AlignmentEvidence) -> Iterator[list[SampleId]]:
    """Yield the samples that the evidence names, the batch of one misplaced row first."""
    if found.collate is not None:
        yield from ([*one.samples] for one in found.collate.misplaced[:1])
    parts = found.parts
    if parts is not None and parts.annotations is not None:
        rows = parts.annotations.boxes
        best = min(FORMATS, key=lambda name: sum(row.bad(name) for row in rows))
        yield [row.sample for row in rows if row.bad(best)][:EACH]
        yield [row.sample for row in parts.annotations.masks][:EACH]
    if parts is not None and parts.orientation is not None:
        yield [one.sample for one in parts.orientation.turned][: EACH // 2]
    if found.workers is not None:
        yield [one.index for one in found.workers.examples][:EACH]
    if found.scores is not None:
        yield [one.sample for one in found.scores.worst if one.score <= one.others][:EACH]


def of_placeholders(found: PlaceholdersEvidence) -> Iterator[list[SampleId]]:
    """Yield the samples whose placeholders or counts do not fit."""
    yield [row.sample for row in found.rows if not row.fits and row.sample is not None][:EACH]
    if found.tags is not None:
        yield [one.sample for one in found.tags.examples if one.fits is not True][:EACH]
    yield [sample for one in found.counts for wrong in one.wrong[:1] for sample in wrong.samples][:EACH]
