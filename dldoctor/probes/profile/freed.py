"""What the loader would deliver if one stage cost nothing: the model of the sweep, with the times of this run."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.evidence.profile import FreedStage, StageShare
from dldoctor.evidence.timing import StageTime
from dldoctor.sweep.model import Host, Setting, Steps, Work
from dldoctor.sweep.simulate import simulate

RECEIVING = ("deserialise", "pin")
"""Phases of the process that takes the batches."""
ROUNDS = 24
"""Batches for each credit in the simulated runs; the first ones are not counted."""
NEGLIGIBLE = 0.1
"""What the model may be wrong by."""


def freed(
    stages: Sequence[StageShare], phases: Sequence[StageTime], setting: Setting, cores: float
) -> tuple[FreedStage, ...]:
    """Return, for each stage, how many times more batches came without it; to a consumer that never waits.

    Waiting for a core is no part of a stage: the model has the processes share the cores again.
    """
    cpu = sum(one.cpu_ns for one in stages) / 1e9
    wait = sum(one.blocked_ns for one in stages) / 1e9
    receive = sum(one.cpu_ns for one in phases if one.stage in RECEIVING) / 1e9
    now = _rate(cpu, wait, receive, setting, cores)
    if not now:
        return ()
    found = [
        FreedStage(
            one.stage,
            _rate(cpu - one.cpu_ns / 1e9, wait - one.blocked_ns / 1e9, receive, setting, cores) / now,
        )
        for one in stages
    ]
    for phase in phases:
        if phase.stage in RECEIVING and setting.workers:
            left = receive - phase.cpu_ns / 1e9
            found.append(FreedStage(phase.stage, _rate(cpu, wait, left, setting, cores) / now))
    return tuple(one for one in found if one.times > 1 + NEGLIGIBLE)


def _rate(cpu_s: float, wait_s: float, receive_s: float, setting: Setting, cores: float) -> float:
    """Return batches per second of a loader whose batches are all alike; 0 where they cost nothing."""
    if max(cpu_s, 0.0) + max(wait_s, 0.0) + receive_s <= 0:
        return 0.0
    count = ROUNDS * max(1, setting.credits)
    work = Work((max(cpu_s, 0.0),) * count, (max(wait_s, 0.0),) * count)
    timeline = simulate(work, setting, Steps(), Host(cores, max(receive_s, 0.0)))
    return timeline.rate(2 * max(1, setting.credits))
