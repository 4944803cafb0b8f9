"""What a timer costs on this machine, so that the report can say what ours cost."""

from __future__ import annotations

import time

from dldoctor.probes.profile.clocks import RunQueue
from dldoctor.probes.profile.tracer import Tracer

CALIBRATED = 500
"""Boundaries that are timed to learn what one costs."""


def calibrate(tracer: Tracer) -> tuple[int, int]:
    """Return what a boundary costs, and what a reading of all clocks costs, as the best of a few tries."""
    key = tracer.new_key()
    queue = RunQueue()
    marks, readings = [], []
    for _ in range(5):
        tracer.begin()
        before = time.perf_counter_ns()
        for _ in range(CALIBRATED // 5):
            tracer.mark(key)
        marks.append((time.perf_counter_ns() - before) * 5 // CALIBRATED)
        tracer.end()
        before = time.perf_counter_ns()
        for _ in range(20):
            time.thread_time_ns()
            queue.read()
        readings.append((time.perf_counter_ns() - before) // 20)
    queue.close()
    tracer.marks = 0
    return min(marks), min(readings)
