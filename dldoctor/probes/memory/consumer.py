"""Probe ``memory-step``: the same again with the user's step, to tell its growth from the loader's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.session import Session
from dldoctor.evidence.memory import ConsumerGrowth, ProcessMemory, Slope
from dldoctor.probes.memory.drive import Drive, Plan, token
from dldoctor.probes.memory.fit import block_medians, pooled_slope
from dldoctor.probes.memory.process_watch import MemoryConfig
from dldoctor.probes.memory.run import NOTE, batches_of, collect, seconds_of
from dldoctor.probes.memory.verdict import FADING, LEAST_RISE, ORDER
from dldoctor.targets import Pipeline
from dldoctor.targets.named_object import find_object
from dldoctor.targets.user_code import run_user_code

EPOCHS = 2
NOTHING = Slope(0.0, 0.0, 0.0)
ENDING_FROM = 0.75
"""Part of the run from which on growth must still be there."""
LEAST_POINTS = 5


def run(pipeline: Pipeline, session: Session) -> None:
    """Run the loader with the step, and send how the main process grew beside the loader alone."""
    name, left = session.intent.step, session.read_note(NOTE)
    if name is None or left is None or left["evidence"]["ended"] is not None:
        return
    step = load_step(name, allow_script=session.request.target.allow_script)
    drive = Drive(pipeline, session, MemoryConfig(session.staging, token("step")), step=step)
    seconds = seconds_of(session) / (2 * EPOCHS)
    drive.run(Plan(EPOCHS, seconds, batches_of(session, EPOCHS)))
    main = collect(drive, 0.0).main
    if main is None:
        return
    evidence = left["evidence"]
    alone = _alone(evidence)
    grown = ConsumerGrowth(
        batches=drive.batches,
        bytes_per_batch=_per_batch(main, "grown_bytes"),
        alone_bytes_per_batch=alone["bytes"],
        descriptors_per_batch=_per_batch(main, "descriptors"),
        alone_descriptors_per_batch=alone["descriptors"],
        step=name,
    )
    value = {**evidence, "consumer": plain(grown)}
    if grows(grown) and ORDER.index("consumer") < ORDER.index(evidence["verdict"]):
        value["verdict"] = "consumer"
    session.leave_note(NOTE, {**left, "evidence": value})
    session.channel.send("evidence", branch="memory", value=value, phase=session.phase)


def grows(found: ConsumerGrowth) -> bool:
    """Whether the main process grows with the step, and not without it."""
    more = found.bytes_per_batch.low - max(0.0, found.alone_bytes_per_batch)
    descriptors = found.descriptors_per_batch.low - max(0.0, found.alone_descriptors_per_batch)
    return more * found.batches > LEAST_RISE or descriptors * found.batches >= 8


def load_step(name: str, *, allow_script: bool) -> Callable[[Any], Any]:
    """Return what takes a batch: the named object, or what it returns where it is called without arguments."""
    found = find_object(name, option="--step", allow_script=allow_script)
    try:
        needed = [p for p in inspect.signature(found).parameters.values() if p.default is p.empty]
    except (TypeError, ValueError):
        needed = [None]  # type: ignore[list-item]  # no signature to be read: taken as it is
    made = found if needed else run_user_code(f"calling `{name}`", found)
    return made if callable(made) else found  # type: ignore[no-any-return]


def _per_batch(process: ProcessMemory, what: str) -> Slope:
    """Return the slope over batches, the first tenth left out: buffers fill there."""
    points = [(float(one.batch), float(getattr(one, what))) for one in process.fine]
    slope = pooled_slope([block_medians(points[len(points) // 10 :])])
    return NOTHING if slope is None or _has_ended(points, slope) else slope


def _has_ended(points: list[tuple[float, float]], slope: Slope) -> bool:
    """Whether what rose rises no more: the last part of the run gained far less than its share.

    A buffer of the last so many batches rises until it is full.
    """
    since = points[0][0] + ENDING_FROM * (points[-1][0] - points[0][0]) if points else 0.0
    last = [point for point in points if point[0] >= since]
    if slope.value <= 0 or len(last) < LEAST_POINTS:
        return False
    end = pooled_slope([block_medians(last)])
    return end is not None and end.value < FADING * slope.value


def _alone(evidence: dict[str, Any]) -> dict[str, float]:
    fine: Sequence[dict[str, Any]] = next(
        (one["fine"] for one in evidence["processes"] if one["role"] == "main"), ()
    )
    found = {}
    for name, what in (("bytes", "grown_bytes"), ("descriptors", "descriptors")):
        points = [(float(one["batch"]), float(one[what])) for one in fine]
        slope = pooled_slope([block_medians(points[len(points) // 10 :])])
        found[name] = slope.value if slope else 0.0
    return found
