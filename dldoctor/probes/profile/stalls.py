"""Batches that take far longer to make than usual, and the period at which they come."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from dldoctor.evidence.profile import StallEvidence
from dldoctor.probes.profile.attribute import UNSEEN
from dldoctor.probes.profile.collect import made_ns
from dldoctor.probes.profile.timeline import Made, Names

STALL_TIMES = 3
BATCHES = 16
"""Batches after the first of each worker that must have been seen."""

Worker = tuple[int, int]
"""Epoch and number: a worker of the next epoch is another process."""


def stalls(epochs: Sequence[tuple[list[Made], Names]]) -> StallEvidence | None:
    """Return batches that took far longer to make than usual, and the period at which they come."""
    by_worker: dict[Worker, list[Made]] = defaultdict(list)
    for part, (made, _) in enumerate(epochs):
        for one in made:
            if not any(group.pilot for group in one.record.groups):
                by_worker[part, one.record.worker].append(one)
    every = [one for own in by_worker.values() for one in own[1:]]
    if len(every) < BATCHES:
        return None
    usual = statistics.median(made_ns(one) for one in every)
    least = max(STALL_TIMES * usual, usual + 5e6)
    positions = {
        worker: [place for place, one in enumerate(own) if place and made_ns(one) > least]
        for worker, own in by_worker.items()
    }
    found = [
        (by_worker[worker][at], epochs[worker[0]][1]) for worker, places in positions.items() for at in places
    ]
    stalled = [one for one, _ in found]
    if not stalled:
        return StallEvidence(len(every), 0, round(usual), 0, 0)
    period, count = _period(positions, {worker: len(own) for worker, own in by_worker.items()})
    worst = _place(found)
    return StallEvidence(
        batches=len(every),
        stalls=len(stalled),
        usual_ns=round(usual),
        stalled_ns=round(statistics.mean(made_ns(one) for one in stalled)),
        lost_ns=round(sum(made_ns(one) - usual for one in stalled)),
        period=period,
        periods=count,
        explained=count / len(stalled) if period else 0.0,
        stage=worst[0],
        path=worst[1],
        line=worst[2],
    )


def _period(positions: dict[Worker, list[int]], lengths: dict[Worker, int]) -> tuple[int | None, int]:
    """Return the period at which most stalls come (one a period in each worker), and how many do."""
    steps = [b - a for places in positions.values() for a, b in pairwise(places)]
    best: tuple[int | None, int] = (None, 0)
    for period in sorted(set(steps)):
        if period < 2:
            continue
        hits = expected = 0
        for worker, places in positions.items():
            phases: dict[int, int] = defaultdict(int)
            for place in places:
                phases[place % period] += 1
            if phases:
                hits += max(phases.values())
                expected += lengths[worker] // period
        # At a true period nearly each one has its stall; chance alone fills long ones only in part.
        if hits > best[1] and hits >= 0.7 * expected:
            best = (period, hits)
    return best


def _place(stalled: Sequence[tuple[Made, Names]]) -> tuple[str, str, int]:
    sums: dict[tuple[str, str, int], int] = defaultdict(int)
    for one, names in stalled:
        worker = one.record.worker
        for group in one.record.groups:
            for entry in group.spent:
                name = names.of(worker, entry.key)
                if name is not None:
                    sums[name.stage, name.path, name.line] += entry.own_ns
        for entry in one.record.collate:
            name = names.of(worker, entry.key)
            if name is not None:
                sums["collate", name.path, name.line] += entry.own_ns
    return max(sums, key=sums.__getitem__, default=(UNSEEN, "", 0))
