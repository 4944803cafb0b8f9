"""Experiments: run the same thing under other workers, epochs, seeds and start methods, and compare."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from dldoctor.child.time_plan import SEVERAL_STARTS, TRY, least_s

Probe = Callable[[Any, Any], None]


def probes() -> dict[str, Probe]:
    """Return the probes of ``check-workers`` by name."""
    from dldoctor.probes.behaviour import (
        columns,
        copies,
        handles,
        randomness,
        reproduction,
        resume,
        start_methods,
        worker_data,
    )

    found = (randomness, worker_data, handles, copies, start_methods, reproduction, resume, columns)
    return {
        name: _if_asked_for(name, module.run)
        for module in found
        for name in [module.__name__.rsplit(".", 1)[1]]
    }


def _if_asked_for(name: str, run: Probe) -> Probe:
    """Leave an experiment out where the request names others."""

    def probe(pipeline: Any, session: Any) -> None:
        budget = session.limits.time_budget_s
        if not asked_for(name, session):
            session.missing(name, "this experiment was not asked for")
        elif session.stopping:
            session.missing(name, "the run was interrupted before")
        elif budget is not None and not session.request.shares and not _has_room(name, session, budget):
            reason = f"the time budget of {budget:g} s has no room left for it; `--time-budget` gives more"
            session.channel.send("left-out", probe=name, reason=reason)
            session.cut(f"`{name}` was left out, because too little of {budget:g} s was left")
        else:
            run(pipeline, session)

    return probe


def asked_for(name: str, session: Any) -> bool:
    """Whether an experiment is among those that the request names; without names all are."""
    chosen = session.request.options.get("experiments")
    return not chosen or name in chosen


def _has_room(name: str, session: Any, budget_s: float) -> bool:
    """Whether enough of the time is left to try an experiment: some load the target again, several times."""
    left = budget_s - _seconds_since_start(session.staging)
    starts = name in SEVERAL_STARTS
    return left > (TRY * least_s(name, float(session.read_note("import_s") or 0.0)) if starts else 0.0)


def _seconds_since_start(staging: str) -> float:
    """Return how long ago the run began: its folder was made then, and its request never changes."""
    return time.time() - os.stat(os.path.join(staging, "request.json")).st_mtime
