"""Rates of a loader, bare and observed, in pairs of the order A B B A; two benchmarks share it."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.utils.data import DataLoader

from dldoctor.report import Report

T90 = {3: 2.353, 4: 2.132, 5: 2.015, 7: 1.895, 9: 1.833}


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


def bare_rate(make: Callable[[], DataLoader[Any]], workers: int) -> float:
    """Return batches per second of the bare loader, in a fork of this process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        times = [time.perf_counter() for _ in make()]
        skip = max(1, 2 * workers)
        os.write(write, repr((len(times) - skip) / (times[-1] - times[skip - 1])).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read) as pipe:
        return float(pipe.read())


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
