"""How right the stages of ``dldoctor profile`` are, against explicit timers, and what profiling costs.

Run ``python benchmarks/attribution.py`` on a quiet machine. A pipeline of known stages (storage wait,
JPEG decode, numpy, pure-Python tokenising, a heavy collate) carries its own timers around each stage. A
profiled run reports its stages by line; both are of the same samples, because the pipeline notes its own
times while it is profiled. Then pairs of bare and profiled runs, in the order A B B A, give the ratio of
their rates with a 90% interval, and the report's own figure of its cost.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path

from known_stages import STAGES, loader
from paired import bare_rate, compare

from dldoctor.diagnose import diagnose_object
from dldoctor.intent import Limits, TargetOptions
from dldoctor.report import Report
from dldoctor.request import Request


def profiled(workers: int, batches: int, folder: str | None = None) -> Report:
    """Profile it."""
    request = Request("profile", TargetOptions("known"), limits=Limits(batches=batches))
    return diagnose_object(loader(workers, batches, folder), request)


def truth(folder: str, skip: int) -> dict[str, tuple[float, float]]:
    """Return wall and CPU nanoseconds per sample of each stage, by its own timers."""
    rows = []
    for path in Path(folder).iterdir():
        rows += [[int(x) for x in line.split()] for line in path.read_text().splitlines()[skip:]]
    means = [statistics.mean(column) for column in zip(*rows, strict=True)]
    return {name: (means[place], means[place + 4]) for place, name in enumerate(STAGES)}


def attribution(workers: int, batches: int) -> None:
    """Print ours against the pipeline's own timers."""
    with tempfile.TemporaryDirectory() as folder:
        report = profiled(workers, batches, folder)
        own = truth(folder, 0)
    timing, profile = report.evidence.timing, report.evidence.profile
    assert timing is not None
    assert profile is not None
    ours: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in timing.stages:
        function = row.name.rsplit(".", 1)[-1]
        name = next(
            (n for n, method in STAGES.items() if f"self.{method}(" in row.call or method == function), ""
        )
        if row.per == "sample" and name:
            if f"self.{STAGES[name]}(" in row.call:  # the statement that the pipeline's own timers enclose
                ours[name][0] += row.total_ns
            ours[name][1] += row.cpu_ns
    for name, (wall, cpu) in own.items():
        found, found_cpu = ours[name]
        off = found / wall - 1
        good = abs(off) <= 0.05 or abs(found - wall) <= 100_000
        points = abs(found_cpu / max(found, 1) - min(1.0, cpu / wall)) * 100
        print(
            f"{workers:7} {name:9} {wall / 1e6:9.3f} {found / 1e6:9.3f} {off:+8.1%} {'ok' if good else 'OFF':>4}"
            f" {points:8.1f} points of CPU"
        )
    covered = profile.attribution.covered if profile.attribution else 0.0
    print(f"{workers:7} phases cover {covered:.2%} of the consumer's wait")


def overhead(workers: int, batches: int, pairs: int) -> None:
    """Print the ratio of rates, profiled over bare, and our own figure."""
    found = compare(
        lambda: bare_rate(lambda: loader(workers, batches), workers),
        lambda: profiled(workers, batches),
        pairs,
    )
    print(
        f"{workers:7} our CPU {statistics.mean(found.shares):.1%} of the loader's;"
        f" rate ours/bare {found.interval()}"
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2, 4])
    arguments = parser.parse_args()
    print("workers stage      timers ms   ours ms      off")
    for workers in arguments.workers:
        attribution(workers, arguments.batches)
    for workers in arguments.workers if arguments.pairs > 1 else ():
        overhead(workers, arguments.batches, arguments.pairs)


if __name__ == "__main__":
    main()
