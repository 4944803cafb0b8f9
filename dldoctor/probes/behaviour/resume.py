"""Probe ``resume``: stop in the middle of an epoch, go on from the state in a fresh process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from dldoctor.child.fresh import UserCodeError, can_start, start_fresh
from dldoctor.child.session import Session
from dldoctor.evidence.workers import ResumeEvidence
from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.reproduction import SEED, loaded
from dldoctor.probes.behaviour.stand_in import config_of
from dldoctor.probes.digest import digests
from dldoctor.probes.instrument import instrument
from dldoctor.probes.record import Unpacker
from dldoctor.probes.wrappers import AWAY, Envelope
from dldoctor.targets import Pipeline

BEFORE = 3
AFTER = 3
WAIT_S = 60.0
_MODULE = "dldoctor.probes.behaviour.resume"


def run(pipeline: Pipeline, session: Session) -> None:
    """Stop, continue, compare, and send."""
    kind = type(pipeline.loader)
    if not (
        callable(attribute(kind, "state_dict", None)) and callable(attribute(kind, "load_state_dict", None))
    ):
        session.missing("resume", "the loader has no `state_dict` and `load_state_dict` to continue from")
        return
    length = pipeline.spec.loader_length
    if length is not None and length < 2:
        session.missing("resume", "an epoch of one batch has no middle")
        return
    if not can_start(session.request):
        session.missing("resume", "a live object cannot be made again in a fresh process")
        return
    before = BEFORE if length is None else max(1, min(BEFORE, length // 2))
    state = os.path.join(session.staging, "resume-state")
    settings = {"before": before, "state": state}
    whole = start_fresh(session, f"{_MODULE}:stopped", settings, seed=SEED).wait(WAIT_S)
    if whole.failed is None:
        rest = start_fresh(session, f"{_MODULE}:continued", settings, seed=SEED).wait(WAIT_S)
    failed = whole.failed or rest.failed
    if failed:
        session.evidence("resume", ResumeEvidence(before, "content", failed=failed))
        return
    session.evidence("resume", _compared(before, whole.result, rest.result))


def _compared(before: int, whole: list[Any], rest: list[Any]) -> ResumeEvidence:
    expected, delivered = whole[before:], rest[: len(whole) - before]
    by_ids = all(batch["ids"] for batch in (*whole, *rest))
    if not by_ids:
        # What is random differs whatever one does; a field that does not must come as it would have.
        paths = [
            path
            for path in whole[0]["marks"]
            if len(expected) == len(delivered)
            and all(
                a["marks"].get(path) == b["marks"].get(path) for a, b in zip(expected, delivered, strict=True)
            )
            and len({batch["marks"].get(path) for batch in whole}) > 1
        ]
        path = next(iter(paths or whole[0]["marks"]), "")

    def text(batch: dict[str, Any]) -> str:
        return ", ".join(map(str, batch["ids"][:8])) if by_ids else str(batch["marks"].get(path, ""))

    return ResumeEvidence(
        stopped_after=before,
        by="ids" if by_ids else "content",
        expected=tuple(map(text, expected)),
        delivered=tuple(map(text, delivered)),
        from_start=bool(rest) and text(rest[0]) == text(whole[0]) and text(whole[0]) != text(whole[before]),
    )


def stopped(session: Session, _seed: int, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Read, leave the state, and read on; runs in a fresh interpreter."""
    import torch

    pipeline = loaded(session)
    found = []
    try:
        for number, batch in enumerate(_batches(pipeline, session)):
            found.append(batch)
            if number + 1 == settings["before"]:
                torch.save(pipeline.loader.state_dict(), settings["state"])
            if len(found) == settings["before"] + AFTER:
                break
    except Exception as error:
        raise UserCodeError from error
    return found


def continued(session: Session, _seed: int, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Take the state up and read; runs in a fresh interpreter."""
    import torch

    pipeline = loaded(session)
    found = []
    try:
        batches = _batches(pipeline, session)
        pipeline.loader.load_state_dict(torch.load(settings["state"], weights_only=False))
        for batch in batches:
            found.append(batch)
            if len(found) == AFTER:
                break
    except Exception as error:
        raise UserCodeError from error
    return found


def _batches(pipeline: Pipeline, session: Session) -> Iterator[dict[str, Any]]:
    """Yield ids (map-style) and content of each batch."""
    config = config_of(session, "resume")
    if pipeline.torch_loader is not None:
        instrument(pipeline, config)
    unpacker = Unpacker()
    for number, batch in enumerate(pipeline.loader):
        session.note("next", number)
        content, packed = batch, None
        if isinstance(batch, Envelope):
            content, packed = batch
        elif AWAY:
            packed = AWAY.popleft()
        ids = [one.id for one in unpacker.unpack(packed).samples] if packed is not None else []
        yield {"ids": ids if pipeline.spec.kind == "map" else [], "marks": digests(content)}
