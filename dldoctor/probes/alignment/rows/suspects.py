"""Which samples the evidence names: they are the first to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.boxes import FORMATS

NOTE = "suspects"
PLACEHOLDERS = "placeholder-ids"
"""Note in which the probe of placeholders leaves the ids that it learned."""
EACH = 8
"""Samples of one kind: a fault of every sample must not hide the others."""
Plain = Mapping[str, Any]


def note_suspects(session: Session, found: AlignmentEvidence | PlaceholdersEvidence) -> None:
    """Leave the samples that evidence names for the probe that shows rows, beside those of earlier probes."""
    # Parts of the evidence come from forks as plain data; all of it is read in that form.
    plain = asdict(found)
    groups = _of_alignment(plain) if isinstance(found, AlignmentEvidence) else _of_placeholders(plain)
    session.leave_note(NOTE, [*(session.read_note(NOTE) or []), *(group for group in groups if group)])


def noted_suspects(session: Session) -> list[list[SampleId]]:
    """Return the noted groups; the samples of one were in one batch, or have one fault."""
    groups = session.read_note(NOTE) or []
    return [[StreamPosition(**one) if isinstance(one, dict) else one for one in group] for group in groups]


def _of_alignment(found: Plain) -> Iterator[list[Any]]:
    """Yield groups, the whole batch of the first misplaced row before all."""
    yield from ([*one["samples"]] for one in (found["collate"] or {}).get("misplaced", ())[:1])
    parts = found["parts"] or {}
    annotations = parts.get("annotations") or {}
    rows = annotations.get("boxes", ())
    best = min(FORMATS, key=lambda name: sum(_bad(row, name) for row in rows))
    yield [row["sample"] for row in rows if _bad(row, best)][:EACH]
    yield [row["sample"] for row in annotations.get("masks", ())][:EACH]
    turned = (parts.get("orientation") or {}).get("turned", ())
    yield [one["sample"] for one in turned if one["read_as"] == "stored"][:EACH]
    yield [one["index"] for one in (found["workers"] or {}).get("examples", ())][:EACH]
    pairs = (found["scores"] or {}).get("worst", ())
    yield [one["sample"] for one in pairs if one["score"] <= one["others"]][:EACH]


def _bad(row: Plain, name: str) -> int:
    return int(row["flat"].get(name, 0)) + int(row["outside"].get(name, 0))


def _of_placeholders(found: Plain) -> Iterator[list[Any]]:
    """Yield the samples whose placeholders or counts do not fit."""
    wrong = [row for row in found["rows"] if any(slot["length"] != slot["expected"] for slot in row["slots"])]
    yield [row["sample"] for row in wrong if row["sample"] is not None][:EACH]
    yield [one["sample"] for one in (found["tags"] or {}).get("examples", ()) if one["fits"] is not True][
        :EACH
    ]
    yield [sample for one in found["counts"] for held in one["wrong"][:1] for sample in held["samples"]][
        :EACH
    ]
