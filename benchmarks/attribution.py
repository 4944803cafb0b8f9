"""How right the stages of ``dldoctor profile`` are, against explicit timers, and what profiling costs.

Run ``python benchmarks/attribution.py`` on a quiet machine. A pipeline of known stages (storage wait,
JPEG decode, numpy, pure-Python tokenising, a heavy collate) carries its own timers around each stage. A
profiled run reports its stages by line; both are of the same samples, because the pipeline notes its own
times while it is profiled. Then pairs of bare and profiled runs, in the order A B B A, give the ratio of
their rates with a 90% interval, and the report's own figure of its cost.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from paired import bare_rate, compare
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from dldoctor.diagnose import Request, diagnose_object
from dldoctor.intent import Limits, TargetOptions
from dldoctor.report import Report

STAGES = {"wait": "wait", "decode": "decode", "numpy": "scale", "tokenise": "tokenise"}
"""Stage to the method that does it."""
BATCH = 8


class Known(Dataset[dict[str, Any]]):
    """Four stages, each with its own timer; the times are appended to a file a process."""

    def __init__(self, count: int, folder: str | None) -> None:
        generator = np.random.default_rng(0)
        image = Image.fromarray(generator.integers(0, 255, (16, 16, 3), dtype=np.uint8)).resize((700, 700))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=90)
        self.data = buffer.getvalue()
        self.words = [f"w{k * 31 % 5000}" for k in range(300)]
        self.count = count
        self.folder = folder
        self.log: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        t0, c0 = time.perf_counter_ns(), time.thread_time_ns()
        self.wait()
        t1, c1 = time.perf_counter_ns(), time.thread_time_ns()
        image = self.decode()
        t2, c2 = time.perf_counter_ns(), time.thread_time_ns()
        pixels = self.scale(image)
        t3, c3 = time.perf_counter_ns(), time.thread_time_ns()
        ids = self.tokenise()
        t4, c4 = time.perf_counter_ns(), time.thread_time_ns()
        if self.folder is not None:
            self.note((t1 - t0, t2 - t1, t3 - t2, t4 - t3, c1 - c0, c2 - c1, c3 - c2, c4 - c3))
        return {"pixels": torch.from_numpy(pixels), "ids": torch.tensor(ids[:100]), "index": index}

    def note(self, times: tuple[int, ...]) -> None:
        if os.getpid() not in self.log:
            self.log[os.getpid()] = Path(self.folder or "", str(os.getpid())).open("w", buffering=1)  # noqa: SIM115 - written to for the life of the process
        self.log[os.getpid()].write(" ".join(map(str, times)) + "\n")

    def wait(self) -> None:
        time.sleep(0.003)

    def decode(self) -> Any:
        return Image.open(io.BytesIO(self.data)).convert("RGB")

    def scale(self, image: Any) -> Any:
        pixels = np.asarray(image, dtype=np.float32)
        return (pixels[::3, ::3] - pixels.mean()) / pixels.std()

    def tokenise(self) -> list[int]:
        return [sum(ord(c) * (p + 1) for p, c in enumerate(word)) % 5000 for word in self.words]


def loader(workers: int, batches: int, folder: str | None = None) -> DataLoader[Any]:
    """Return the pipeline of known stages."""
    return DataLoader(Known(batches * BATCH, folder), BATCH, num_workers=workers)


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
