"""Probe ``memory``: the loader alone, over the same batches for some epochs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.memory import MemoryEvidence, ProcessMemory
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.drive import Drive, Plan, token
from dldoctor.probes.memory.holdings import holdings
from dldoctor.probes.memory.points import Line
from dldoctor.probes.memory.process_watch import MemoryConfig
from dldoctor.probes.memory.segments import stale
from dldoctor.probes.memory.series import (
    Turns,
    containers_of,
    peaks,
    process_of,
    read_lines,
    renumbered,
    segments_of,
)
from dldoctor.probes.memory.verdict import COPIED_LEAST, overall
from dldoctor.targets import Pipeline

NOTE = "memory"
EPOCHS = 3
SECONDS = 30.0
"""For all epochs together, where no time budget is given."""
MORE_EPOCHS = 4
"""Epochs that are added at a time while the series is too short to tell."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Run the epochs, read the counters, and send what they say."""
    if not counters.can_read():
        session.missing(
            "memory",
            "this system has no /proc/self/smaps_rollup, and psutil is not installed in the environment of the loader",
        )
        return
    started_at, began = time.time(), time.monotonic()
    seconds = seconds_of(session)
    held = _holdings(pipeline, session)
    drive = Drive(
        pipeline, session, MemoryConfig(session.staging, token("alone"), copies=holds_objects(held))
    )
    epochs = epochs_of(session)
    # Later turns cost what the first one cost, and the same again where workers start afresh.
    turns = epochs * (1 if drive.persistent else 2)
    plan = Plan(epochs, seconds / turns, batches_of(session, turns))
    drive.run(plan)
    while (
        drive.ended is None and time.monotonic() - began < seconds / 2 and _undecided(drive, started_at, held)
    ):
        drive.run(Plan(MORE_EPOCHS, plan.seconds, plan.batches))
    drive.collect_garbage()
    value = {**plain(collect(drive, started_at, held)), "holdings": held}
    session.leave_note(NOTE, {"evidence": value, "pids": sorted(drive.pids)})
    session.channel.send("evidence", branch="memory", value=value, phase=session.phase)


def epochs_of(session: Session) -> int:
    """Return the epochs to run: as asked for, else three."""
    asked = session.limits.epochs
    return EPOCHS if asked == 1 else int(asked)


def seconds_of(session: Session) -> float:
    """Return the time for all epochs."""
    return session.limits.time_budget_s or SECONDS


def batches_of(session: Session, turns: int) -> int | None:
    """Return the most batches of one turn, where a number was given for all."""
    limits = session.limits
    if limits.batches is None:
        return None
    return max(1, limits.batches // turns)


def _holdings(pipeline: Pipeline, session: Session) -> Any:
    """Weigh the dataset in a fork: looking at Python objects un-shares their pages."""
    if pipeline.dataset is None:
        return []
    try:
        return run_in_fork(session.staging, lambda: holdings(pipeline.dataset))
    except RunDiedError:
        return []


def holds_objects(held: Sequence[Any]) -> bool:
    """Whether the dataset itself has Python objects to copy.

    Those of the interpreter are copied too, when the garbage collector visits them.
    """
    return bool(sum(one["python_bytes"] for one in held) >= COPIED_LEAST)


def collect(drive: Drive, started_at: float, held: Sequence[Any] = ()) -> MemoryEvidence:
    """Return the evidence of a run so far; `held` is what the dataset keeps in memory."""
    lines = read_lines(drive.config)
    same = drive.same
    first, kept = (same.first_turn, len(same.kept)) if same is not None else (0, 0)
    each = max(1, drive.workers)
    turns = Turns(
        by_epoch=drive.persistent, per_worker=lambda epoch: -(-(first if epoch == 0 else kept) // each)
    )
    resets = drive.workers > 0 and not drive.pipeline.spec.persistent_workers
    processes = processes_of(
        lines, turns, drive.started_ns,
        resets=resets, copies=holds_objects(held), ahead=drive.ahead, collected=drive.collected,
    )  # fmt: skip
    peak, main, worker = peaks(processes)
    total = drive.epochs * (1 if drive.persistent else 2)
    return MemoryEvidence(
        verdict=overall([one.growth.verdict for one in processes]),
        processes=processes,
        epochs=drive.epochs,
        turns=total,
        batches_per_turn=kept or drive.batches // max(1, drive.epochs),
        samples_per_turn=_samples_asked_for(drive) or _samples(processes) // max(1, total),
        persistent=not resets,
        peak_bytes=peak,
        main_peak_bytes=main,
        worker_peak_bytes=worker,
        batch_bytes=drive.batch_bytes,
        batch_tensors=drive.batch_tensors,
        containers=tuple(containers_of(lines, turns)),
        tasks=tuple(drive.tasks),
        segments=stale(segments_of(lines), drive.pids),
        ended=drive.ended,
        started_at_s=started_at,
    )


def processes_of(
    lines: dict[int, list[list[Line]]],
    turns: Turns,
    started_ns: int,
    *,
    resets: bool,
    copies: bool,
    ahead: int,
    collected: int = 0,
) -> tuple[ProcessMemory, ...]:
    """Return the evidence of each process, the main one first."""
    return tuple(
        process_of(
            worker, renumbered(lines[worker]), turns, started_ns,
            resets=resets and worker >= 0, copies=copies and worker >= 0, ahead=ahead,
            collected=0 if worker >= 0 else collected,
        )
        for worker in sorted(lines)
    )  # fmt: skip


def _samples_asked_for(drive: Drive) -> int:
    """Return the samples of one turn, by their indices; 0 for a stream, which has none."""
    return 0 if drive.same is None or drive.pipeline.spec.kind == "iterable" else drive.same.rows


def _samples(processes: Sequence[ProcessMemory]) -> int:
    workers = [one for one in processes if one.role == "worker"] or list(processes)
    return sum(max((point.samples for point in one.fine), default=0) for one in workers)


def _undecided(drive: Drive, started_at: float, held: Sequence[Any]) -> bool:
    """Whether some series is too short to tell.

    Asked in a fork: what reading the notes leaves in the heap would be growth of the process that is watched.
    """

    def look() -> bool:
        evidence = collect(drive, started_at, held)
        return any(one.growth.verdict == "not-enough-data" for one in evidence.processes)

    try:
        return bool(run_in_fork(drive.session.staging, look))
    except RunDiedError:
        return False
