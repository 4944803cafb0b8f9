"""Probe ``alignment``: one question after another, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.collate_rows import collate_rows, traced_here
from dldoctor.probes.alignment.paired_transforms import paired_transforms
from dldoctor.probes.alignment.parts import parts
from dldoctor.probes.alignment.rows.suspects import note_suspects
from dldoctor.probes.alignment.scores import scores
from dldoctor.probes.alignment.worker_pairs import worker_pairs
from dldoctor.probes.alignment.worker_rows import worker_rows
from dldoctor.probes.loader import seed_generators
from dldoctor.targets import Pipeline

Step = Callable[[Pipeline, Session, AlignmentEvidence], AlignmentEvidence]


def run(pipeline: Pipeline, session: Session) -> None:
    """Ask every question, and send what is known after each."""
    seed_generators(session.limits.seed)  # the loader's own order, of which some batches are looked at
    found = AlignmentEvidence()
    for step in STEPS:
        if session.stopping:
            return
        found = replace(step(pipeline, session, found), unfinished=step is not STEPS[-1])
        session.evidence("alignment", found)
    note_suspects(session, found)


def _collate(pipeline: Pipeline, session: Session, found: AlignmentEvidence) -> AlignmentEvidence:
    return replace(found, collate=collate_rows(pipeline, session))


def _parts(pipeline: Pipeline, session: Session, found: AlignmentEvidence) -> AlignmentEvidence:
    seen, roles = parts(pipeline, session)
    session.channel.send("inferred", roles=roles)
    session.evidence("alignment", replace(found, parts=seen, unfinished=True))
    known = {path: Inferred(**one) for path, one in roles.items()}
    return replace(
        found,
        parts=seen,
        transforms=paired_transforms(pipeline, session, known),
        scores=scores(pipeline, session, known),
    )


def _workers(pipeline: Pipeline, session: Session, found: AlignmentEvidence) -> AlignmentEvidence:
    trace: Any = found.collate  # plain data, as it came from its process
    right = isinstance(trace, dict) and not (trace["wrong"] or trace["unjudged"]) and trace["rows"]
    return replace(
        found,
        workers=worker_pairs(pipeline, session),
        in_worker=worker_rows(pipeline, session, traced_here) if right else None,
    )


STEPS: tuple[Step, ...] = (_collate, _parts, _workers)
"""The questions, in order."""
