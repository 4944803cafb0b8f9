"""From the lines that the processes of a run left to the evidence of each process."""

from __future__ import annotations

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dldoctor.evidence.memory import FinePoint, ProcessMemory
from dldoctor.evidence.memory_cause import GrowingContainer
from dldoctor.foreign import attribute
from dldoctor.probes.memory.descriptor_growth import (
    descriptor_kinds,
    descriptor_slope,
    per_epoch,
    slope_of_short_lives,
)
from dldoctor.probes.memory.points import Line, points_of, thinned, with_full
from dldoctor.probes.memory.process_watch import MemoryConfig
from dldoctor.probes.memory.verdict import growth_of

FINE_KEPT = 160


@dataclass(frozen=True)
class Turns:
    """How a place in an epoch tells how often the same indices were read before."""

    by_epoch: bool
    """Each epoch is one turn of a process that lives on; else a turn is a part of an epoch."""
    per_worker: Callable[[int], int]
    """Epoch to batches of one turn in one worker; 0 where there is no second turn."""

    def of(self, line: Line) -> int:
        """Return the turn in which a line was written."""
        if self.by_epoch:
            return int(line["epoch"])
        each = self.per_worker(line["epoch"])
        return (line["in_epoch"] - 1) // each if each else 0


def read_lines(config: MemoryConfig) -> dict[int, list[list[Line]]]:
    """Return worker number to the lines of each of its lives, in order; -1 is the main process."""
    found: dict[int, list[list[Line]]] = defaultdict(list)
    prefix = f"memory-{config.token}-"
    for name in os.listdir(config.staging):
        if not (name.startswith(prefix) and name.endswith(".points")):
            continue
        worker = int(name.removeprefix(prefix).rpartition("-")[0])
        lines = []
        with open(os.path.join(config.staging, name), encoding="ascii") as file:
            for text in file:
                with contextlib.suppress(ValueError):  # the last line of a process that was killed
                    lines.append(json.loads(text))
        if lines:
            found[worker].append(lines)
    for lives in found.values():
        lives.sort(key=lambda lines: lines[0]["at_ns"])
    return found


def process_of(
    worker: int,
    lives: list[list[Line]],
    turns: Turns,
    started_ns: int,
    *,
    resets: bool,
    copies: bool,
    ahead: int = 0,
    collected: int = 0,
) -> ProcessMemory:
    """Return the evidence of one process; it fills up with `ahead` batches at the beginning of each epoch.

    `collected`: descriptors that the garbage collector gave back when all was over.
    """
    shown = [(life, line) for life, lines in enumerate(lives) for line in lines if line["kind"] != "trimmed"]
    fine = [_fine(life, line, turns) for life, line in shown]
    settled = [one for one, (_, line) in zip(fine, shown, strict=True) if line["in_epoch"] > ahead]
    again = descriptor_slope(settled, later=True)
    if again is None:
        again = slope_of_short_lives(list(zip(fine, (line for _, line in shown), strict=True)))
    series = points_of(lives, started_ns)
    ends = [lines[-1] for lines in lives]
    full = [point for point in series if point.full]
    return ProcessMemory(
        role="main" if worker < 0 else "worker",
        worker=None if worker < 0 else worker,
        series=tuple(with_full(series)),
        growth=growth_of(settled, full, resets=resets, copies=copies, released=_released(lives)),
        fine=tuple(thinned(fine, FINE_KEPT)),
        lives=len(lives),
        descriptors_per_1000_samples=again,
        descriptors_first_per_1000_samples=attribute(descriptor_slope(settled, later=False), "value", None),
        descriptors_per_epoch=per_epoch(settled),
        descriptors_collected=max(0, collected),
        descriptors_by=descriptor_kinds(lives),
        threads_first=fine[0].threads if fine else 0,
        threads_last=max((point.threads for point in fine if point.life == fine[-1].life), default=0),
        own_ns=sum(line["own_ns"] for line in ends),
        cpu_ns=sum(line["cpu_ns"] for line in ends),
    )


def _fine(life: int, line: Line, turns: Turns) -> FinePoint:
    return FinePoint(
        batch=line["batch"], epoch=line["epoch"], turn=turns.of(line), life=life, samples=line["samples"],
        grown_bytes=line["values"][0], descriptors=line["values"][1], threads=line["values"][2],
    )  # fmt: skip


def _released(lives: list[list[Line]]) -> int:
    """Return what the allocator gave back at the end, in the process that gave most."""
    best = 0
    for lines in lives:
        for before, after in pairwise(lines):
            if after["kind"] == "trimmed":
                best = max(best, before["values"][0] - after["values"][0])
    return best


def containers_of(lives_by_worker: dict[int, list[list[Line]]], turns: Turns) -> list[GrowingContainer]:
    """Return the containers that were longer at the end of the last turn than at its beginning."""
    best: dict[str, GrowingContainer] = {}
    for worker, lives in lives_by_worker.items():
        for lines in lives:
            for grown in _grown_in(lines, worker, turns):
                known = best.get(grown.path)
                if known is None or (grown.again, grown.per_sample) > (known.again, known.per_sample):
                    best[grown.path] = grown
    return sorted(best.values(), key=lambda one: (not one.again, one.first_length - one.last_length))[:8]


def _grown_in(lines: list[Line], worker: int, turns: Turns) -> list[GrowingContainer]:
    looks = [line for line in lines if "grown" in line]
    again = [line for line in looks if turns.of(line) > 0]
    if len(again) < 2:
        again = looks[len(looks) // 2 :]
    first = [line for line in looks if line not in again]
    found = {one.path: one for one in _grown_over(looks, [*first, *again[:1]], worker, again=False)}
    found |= {one.path: one for one in _grown_over(looks, again, worker, again=True)}
    return list(found.values())


def _grown_over(
    looks: list[Line], part: list[Line], worker: int, *, again: bool
) -> Iterator[GrowingContainer]:
    """Yield the containers that only gained, from the first to the last line of a part."""
    if len(part) < 2 or part[-1]["samples"] <= part[0]["samples"]:
        return
    states = [_known_at(looks, line) for line in part]
    samples = part[-1]["samples"] - part[0]["samples"]
    role: Literal["main", "worker"] = "main" if worker < 0 else "worker"
    for path, (kind, last) in states[-1].items():
        lengths = [state[path][1] for state in states if path in state]
        if last > lengths[0] and lengths == sorted(lengths):
            yield GrowingContainer(path, kind, lengths[0], last, (last - lengths[0]) / samples, role, again)


def _known_at(looks: list[Line], until: Line) -> dict[str, tuple[str, int]]:
    known: dict[str, tuple[str, int]] = {}
    for line in looks:
        known.update({path: (kind, length) for path, (kind, length) in line["grown"].items()})
        if line is until:
            break
    return known


def segments_of(lives_by_worker: dict[int, list[list[Line]]]) -> set[str]:
    """Return the names of shared memory that processes of the run held open."""
    return {
        name for lives in lives_by_worker.values() for lines in lives for line in lines
        for name in line.get("segments", ())
    }  # fmt: skip


def peaks(processes: Sequence[ProcessMemory]) -> tuple[int, int, int]:
    """Return the largest sum of PSS over all processes, the main process's and the largest worker's peak."""
    events = sorted(
        (p.at_s, i, p.pss_bytes + p.children_bytes) for i, one in enumerate(processes) for p in one.series
    )
    now: dict[int, int] = {}
    top = 0
    for _, i, pss in events:
        now[i] = pss
        top = max(top, sum(now.values()))
    main = max((p.pss_bytes for one in processes if one.role == "main" for p in one.series), default=0)
    worker = max((p.uss_bytes for one in processes if one.role == "worker" for p in one.series), default=0)
    return top, main, worker


def renumbered(lives: list[list[Line]]) -> list[list[Line]]:
    """Return the lives of a worker with batches and samples counted on from one life to the next."""
    batches = samples = 0
    counted = []
    for lines in lives:
        counted.append([
            {**line, "batch": line["batch"] + batches, "samples": line["samples"] + samples} for line in lines
        ])  # fmt: skip
        batches, samples = counted[-1][-1]["batch"], counted[-1][-1]["samples"]
    return counted
