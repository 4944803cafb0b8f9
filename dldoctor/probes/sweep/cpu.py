"""Who used the cores during a run: the loader's processes, or somebody else."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

_TICK_S = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
_OTHER = {3, 4, 8, 9}
"""Fields of a line of ``/proc/stat`` that are no work on this core: idle, waiting for storage, and
guests, who are counted as user time already."""


@dataclass(frozen=True)
class Usage:
    """CPU time so far, in seconds; differences of two are what counts."""

    at_s: float
    busy_s: float | None
    """All work on the cores that this process may use, stolen time included; null if unknown."""
    main_s: float
    main_queued_s: float
    """Time that threads of the main process were ready to run and had no core."""
    workers_s: float | None
    workers_queued_s: float
    above_s: float
    """The processes above this one: dldoctor's own, and who called it."""


@dataclass(frozen=True)
class Window:
    """What happened between two readings."""

    seconds: float
    main_s: float
    workers_s: float | None
    own_cores: float
    foreign_cores: float
    queued_share: float
    """Of the time of the main process, or of a worker, whichever waited more for a core."""
    impact: float
    """The part of that which foreign work explains: at most so much of the run's time is its doing."""


def usage(workers: Sequence[int], above: Sequence[int]) -> Usage:
    """Read the counters now."""
    workers_s, queued_s = 0.0, 0.0
    known = True
    for pid in workers:
        found = _schedule(pid)
        known = known and found is not None
        workers_s += found[0] if found else 0.0
        queued_s += found[1] if found else 0.0
    main = _schedule(os.getpid())
    return Usage(
        time.perf_counter(),
        busy_seconds(),
        time.process_time(),
        main[1] if main else 0.0,
        workers_s if known else None,
        queued_s,
        sum(_ticks(pid) for pid in above),
    )


def window(before: Usage, after: Usage, workers: int, cores: float) -> Window:
    """Return what the counters say about the time between two readings."""
    seconds = max(after.at_s - before.at_s, 1e-6)
    main = after.main_s - before.main_s
    known = after.workers_s is not None and before.workers_s is not None
    made = (after.workers_s or 0.0) - (before.workers_s or 0.0) if known else None
    own = (main + (made or 0.0)) / seconds
    foreign = 0.0
    if after.busy_s is not None and before.busy_s is not None and known:
        above = after.above_s - before.above_s
        foreign = max(0.0, (after.busy_s - before.busy_s - above) / seconds - own)
    stolen = max(0.0, foreign - max(0.0, _allowed() - cores))
    queued = (after.main_queued_s - before.main_queued_s) / seconds
    if workers:
        queued = max(queued, (after.workers_queued_s - before.workers_queued_s) / seconds / workers)
    queued = min(1.0, max(0.0, queued))
    # A core that other work holds all the time shows in the queues; a machine without such counters
    # is judged by what is left of its cores.
    part = stolen / (stolen + own) if stolen + own > 0 else 0.0
    impact = part * queued if after.main_queued_s else (part if own + stolen > 0.9 * cores else 0.0)
    return Window(seconds, main, made, own, stolen, queued, impact)


def ancestors() -> tuple[int, ...]:
    """Return the processes above this one."""
    found: list[int] = []
    pid = os.getppid()
    while pid > 1 and len(found) < 12:
        found.append(pid)
        pid = _parent(pid)
    return tuple(found)


def busy_seconds() -> float | None:
    """Return the work so far on the cores that this process may use."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    total = 0.0
    try:
        with open("/proc/stat", encoding="ascii") as file:
            for line in file:
                name, *numbers = line.split()
                if not name.startswith("cpu"):
                    break
                if name[3:].isdigit() and (mine is None or int(name[3:]) in mine):
                    total += sum(int(n) for i, n in enumerate(numbers) if i not in _OTHER)
    except (OSError, ValueError):
        return None
    return total * _TICK_S


def _allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _schedule(pid: int) -> tuple[float, float] | None:
    """Return seconds on a core and seconds queued of all threads; None where the kernel does not say."""
    ran = queued = 0
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return None
    for thread in threads:
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                on, off, _ = file.read().split()
            ran += int(on)
            queued += int(off)
    return (ran / 1e9, queued / 1e9) if ran else None


def _stat(pid: int) -> list[str]:
    with (
        contextlib.suppress(OSError, IndexError),
        open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file,
    ):
        return file.read().rsplit(")", 1)[1].split()
    return []


def _ticks(pid: int) -> float:
    parts = _stat(pid)
    return (int(parts[11]) + int(parts[12])) * _TICK_S if len(parts) > 12 else 0.0


def _parent(pid: int) -> int:
    parts = _stat(pid)
    return int(parts[1]) if len(parts) > 1 else 0
