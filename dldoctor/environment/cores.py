"""Cores of the machine, and those that others take."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

NODES = Path("/sys/devices/system/node")
LOOK_S = 0.25


def physical() -> int | None:
    """Return the physical cores of the machine; None where the system does not say."""
    return psutil.cpu_count(logical=False)


def numa_nodes(folder: Path = NODES) -> int:
    """Return the nodes of memory that the machine has."""
    return max(1, len(list(folder.glob("node[0-9]*")))) if folder.is_dir() else 1


def foreign(seconds: float = LOOK_S) -> float:
    """Return the cores that other processes kept busy during a short look."""
    before, own, clock = _busy(), time.process_time(), time.perf_counter()
    time.sleep(seconds)
    elapsed = time.perf_counter() - clock
    return max(0.0, (_busy() - before - (time.process_time() - own)) / elapsed)


def _busy() -> float:
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # counted in user already
    return float(sum(times) - idle - guests)
