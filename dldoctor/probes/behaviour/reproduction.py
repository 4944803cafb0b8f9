"""Probe ``reproduction``: two runs in fresh interpreters, seeded alike, compared batch by batch."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dldoctor.child.fresh import Answer, FreshInterpreter, UserCodeError, can_start, start_fresh
from dldoctor.child.session import Session
from dldoctor.evidence.workers import FirstDifference, ReproductionEvidence
from dldoctor.finding import SourceRef
from dldoctor.probes.behaviour import asked_for
from dldoctor.probes.behaviour.hold import hold, note_starts
from dldoctor.probes.digest import digests, pin
from dldoctor.targets import Pipeline, resolve

SEED = 1234
BATCHES = 32
SECONDS = 6.0
"""Time for the batches of one run; what both have is compared."""
PART = 0.2
"""Of the time budget, where there is one."""
WAIT_S = 90.0
BY_THIS = "dldoctor.probes.behaviour.reproduction:batches"
Marks = list[dict[str, str]]


def prepare(session: Session) -> tuple[FreshInterpreter, ...]:
    """Start the two interpreters, which wait before they load the target."""
    return tuple(
        FreshInterpreter(session, one) for one in _hash_seeds() if asked_for("reproduction", session)
    )


def run(pipeline: Pipeline, session: Session) -> None:
    """Run twice, compare, look for the source, and send."""
    if not can_start(session.request):
        session.missing("reproduction", "a live object cannot be made again in a fresh process")
        return
    seed = SEED if session.limits.seed is None else session.limits.seed
    fixed = _hash_seeds()[0] is None
    one, other = _pair(session, seed, session.prepared or prepare(session))
    failed = one.failed or other.failed
    if failed:
        session.evidence("reproduction", ReproductionEvidence(seed, 0, failed=failed, hash_seed_fixed=fixed))
        return
    first, second = one.result["batches"], other.result["batches"]
    difference = _difference(first, second)
    source, tried = _source(session, seed, first, difference, fixed=fixed, in_order=pipeline.spec.in_order)
    started = one.result["started"]
    session.evidence(
        "reproduction",
        ReproductionEvidence(
            seed=seed,
            batches=min(len(first), len(second)),
            difference=difference,
            source=source,
            tried=tried,
            hash_seed_fixed=fixed,
            in_order=pipeline.spec.in_order,
            started_at_import=SourceRef(**started) if started else None,
        ),
    )


def _hash_seeds() -> tuple[str | None, str | None]:
    """Return another for each run, or none where the user fixes it."""
    fixed = os.environ.get("PYTHONHASHSEED", "random") != "random"
    return (None, None) if fixed else ("1", "2")


def _pair(
    session: Session, seed: int, interpreters: Sequence[FreshInterpreter], **settings: Any
) -> tuple[Answer, Answer]:
    one, other = (interpreter.start(session, BY_THIS, settings, seed=seed) for interpreter in interpreters)
    return one.wait(WAIT_S), other.wait(WAIT_S)


def _source(
    session: Session,
    seed: int,
    first: Marks,
    difference: FirstDifference | None,
    *,
    fixed: bool,
    in_order: bool,
) -> tuple[Any, tuple[str, ...]]:
    """Hold one thing after another still until two runs are equal."""
    if difference is None:
        return "", ()
    if difference.same_rows and not in_order:
        return "order of completion", ("in_order",)
    tried: list[str] = []
    if not fixed:
        tried.append("hash seed")
        again = start_fresh(session, BY_THIS, {}, seed=seed, hash_seed="1").wait(WAIT_S)
        if again.failed is None and _difference(first, again.result["batches"]) is None:
            return "hash seed", tuple(tried)
    held: list[str] = []
    for what in ("entropy", "clock", "workers"):
        tried.append(what)
        held.append(what)
        alike = (FreshInterpreter(session, "1"), FreshInterpreter(session, "1"))
        one, other = _pair(session, seed, alike, hold=held)
        if (
            one.failed is None
            and other.failed is None
            and not _difference(one.result["batches"], other.result["batches"])
        ):
            return ("order of completion" if difference.same_rows and what == "workers" else what), tuple(
                tried
            )
    return "order of completion" if difference.same_rows else "unknown", tuple(tried)


def _difference(first: Marks, second: Marks) -> FirstDifference | None:
    shared = min(len(first), len(second))
    for number in range(shared):
        one, other = first[number], second[number]
        paths = sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
        if paths:
            kinds = [
                Counter(tuple(sorted(marks.items())) for marks in run[:shared]) for run in (first, second)
            ]
            return FirstDifference(number, tuple(paths[:8]), same_rows=kinds[0] == kinds[1])
    return None


def batches(session: Session, seed: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the digests of the first batches; runs in the fresh interpreter."""
    held = settings.get("hold", [])
    for what in held:
        hold(what, seed)
    started: list[SourceRef] = []
    note_starts(started)
    pin(seed)
    pipeline = loaded(session)
    place = started[0] if started else None
    if "workers" in held and pipeline.torch_loader is not None:
        vars(pipeline.torch_loader).update(
            num_workers=0, prefetch_factor=None, persistent_workers=False, timeout=0,
            _DataLoader__multiprocessing_context=None,
        )  # fmt: skip
    found: Marks = []
    deadline = time.monotonic() + seconds_of(session)
    try:
        session.note("next")
        for batch in pipeline.loader:
            found.append(digests(batch))
            session.note("next", len(found))
            if len(found) >= (session.limits.batches or BATCHES) or time.monotonic() > deadline:
                break
    except Exception as error:
        raise UserCodeError from error
    return {"batches": found, "started": place}


def seconds_of(session: Session) -> float:
    """Return the time for the batches of one run; with a budget most of it is left for the search of a source."""
    budget = session.limits.time_budget_s
    return SECONDS if budget is None else min(SECONDS, PART * budget)


def loaded(session: Session) -> Pipeline:
    """Return the target, loaded in this interpreter."""
    try:
        return resolve(session.request.target)
    except Exception as error:
        raise UserCodeError from error
