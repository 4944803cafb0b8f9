"""Charges the time of one thread to keys, and tells what it was spent on.

Each charge is one reading of the clock. Thread time and run-queue wait are read only where at least
`SHORT_NS` passed; shorter spans count as CPU and are taken off the next reading.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from dldoctor.probes.profile.clocks import RunQueue

SHORT_NS = 20_000


class Meter(NamedTuple):
    """Closures over the last readings, because they run often."""

    charge: Callable[[int], int]
    """Charge what passed since the last call to a key; return the time."""
    skip: Callable[[], int]
    """Charge it to nobody; return the time."""
    restart: Callable[[bool], int]
    """Begin anew; say whether another thread than before is asked. Return the time."""


def meter(own: list[int], cpu: list[int], runqueue: list[int], count_reading: Callable[[], None]) -> Meter:
    """Return a meter that adds to these lists, which have one entry a key."""
    clock, thread_clock = time.perf_counter_ns, time.thread_time_ns
    queue = RunQueue()
    last = cpu_last = queue_last = assumed = 0

    def charge(key: int) -> int:
        nonlocal last, cpu_last, queue_last, assumed
        now = clock()
        passed = now - last
        if passed < SHORT_NS:
            own[key] += passed
            cpu[key] += passed
            assumed += passed
            last = now
            return now
        used, waited = thread_clock(), queue.read()
        after = clock()
        if after - now >= SHORT_NS:
            # The core was lost while reading: that is no cost of reading, and belongs to what was at work.
            used, waited = thread_clock(), queue.read()
            passed = after - last
        own[key] += passed
        on_core = min(max(used - cpu_last - assumed, 0), passed)
        cpu[key] += on_core
        runqueue[key] += min(max(waited - queue_last, 0), passed - on_core)
        cpu_last, queue_last, assumed, last = used, waited, 0, after
        count_reading()
        return after

    def skip() -> int:
        nonlocal last
        last = clock()
        return last

    def restart(other_thread: bool) -> int:
        nonlocal queue, last, cpu_last, queue_last, assumed
        if other_thread:
            queue.close()
            queue = RunQueue()
        assumed = 0
        for _ in range(3):
            before = clock()
            cpu_last, queue_last = thread_clock(), queue.read()
            last = clock()
            if last - before < SHORT_NS:
                break  # else the core was lost in between, and the three do not belong together
        return last

    return Meter(charge, skip, restart)
