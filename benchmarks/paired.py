"""Rates of a loader, bare and observed, in pairs of the order A B B A; two benchmarks share it."""

from __future__ import annotations

import itertools
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.utils.data import DataLoader

from dldoctor.report import Report

T90 = {2: 6.314, 3: 2.920, 4: 2.353, 5: 2.132, 6: 2.015, 7: 1.943, 8: 1.895, 9: 1.860, 10: 1.833}
"""Student's t for a two-sided 90% interval, by number of pairs."""


@dataclass(frozen=True)
class Pairs:
    """What the pairs showed."""

    ratios: tuple[float, ...]
    """Rate observed over rate bare."""
    shares: tuple[float, ...]
    """Our CPU time over the loader's, as the report has it."""
    bare_ms: tuple[float, ...]
    """Milliseconds between two batches of the bare loader."""

    def interval(self) -> str:
        """Return the mean ratio with its 90% interval."""
        mean = statistics.mean(self.ratios)
        half = T90.get(len(self.ratios), 2.0) * statistics.stdev(self.ratios) / len(self.ratios) ** 0.5
        return f"{mean:.3f}  ({mean - half:.3f} .. {mean + half:.3f})"


def bare_rate(make: Callable[[], DataLoader[Any]], workers: int, batches: int | None = None) -> float:
    """Return batches per second of the bare loader, or its first batches, in a fork of this process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        iterator = iter(make())
        times = [time.perf_counter() for _ in itertools.islice(iterator, batches)]
        del iterator  # ends the workers, which would run on for seconds after this process
        skip = max(1, 2 * workers)
        os.write(write, repr((len(times) - skip) / (times[-1] - times[skip - 1])).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read) as pipe:
        return float(pipe.read())


def spread(first: Callable[[], float], second: Callable[[], float], pairs: int) -> tuple[float, float, float]:
    """Run both in turns (A B B A); return the second over the first, with its 90% interval."""
    logs = []
    for pair in range(pairs):
        order = (first, second) if pair % 2 == 0 else (second, first)
        rates = {which: which() for which in order}
        logs.append(math.log(rates[second] / rates[first]))
    half = T90.get(len(logs), 2.0) * statistics.stdev(logs) / len(logs) ** 0.5 if len(logs) > 1 else math.inf
    mean = statistics.mean(logs)
    return math.exp(mean), math.exp(mean - half), math.exp(min(50.0, mean + half))


def compare(bare: Callable[[], float], observed: Callable[[], Report], pairs: int) -> Pairs:
    """Run both in turns."""
    ratios, shares, gaps = [], [], []
    for pair in range(pairs):
        order = ("bare", "ours") if pair % 2 == 0 else ("ours", "bare")
        found: dict[str, float] = {}
        for name in order:
            if name == "bare":
                found[name] = bare()
            else:
                timing = observed().evidence.timing
                assert timing is not None
                assert timing.batches is not None
                found[name] = 1e9 / timing.batches.mean
                shares.append(timing.overhead_ns / timing.loader_cpu_ns)
        ratios.append(found["ours"] / found["bare"])
        gaps.append(1e3 / found["bare"])
    return Pairs(tuple(ratios), tuple(shares), tuple(gaps))
