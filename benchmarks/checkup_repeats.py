"""Runs a checkup of each healthy sample pipeline many times, and counts the runs that find something.

    python benchmarks/checkup_repeats.py --repeats 50 --log checkup_repeats.log

Each run is a process of its own, as a user starts it, with ``--fail-on warning``. A line a sample: how often
it passed, what else was said, and how long a run took.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ("captions", "chat", "shards", "speech")


@dataclass(frozen=True)
class Run:
    """What one checkup came to."""

    status: int
    said: str
    """Rules above ``info`` with their levels; what standard error says where nothing was judged."""
    seconds: float


def main() -> int:
    """Run, print a line a sample, write the log; status 1 where a run failed."""
    options = _options()
    cores = len(os.sched_getaffinity(0))
    machine = f"Python {platform.python_version()}, {cores} cores"
    lines = [
        f"checkup of healthy samples, {options.repeats} times each, budget {options.time_budget:g} s, {machine}"
    ]
    print(lines[0], flush=True)
    failed = 0
    for name in options.only or SAMPLES:
        runs = [checkup(name, options.time_budget) for _ in range(options.repeats)]
        failed += sum(run.status != 0 for run in runs)
        lines.append(_line(name, runs))
        print(lines[-1], flush=True)
    lines.append(f"{failed} of {options.repeats * len(options.only or SAMPLES)} runs failed")
    print(lines[-1])
    if options.log:
        options.log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


def checkup(name: str, time_budget: float) -> Run:
    """Return what one checkup of a healthy sample came to."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "report.json"
        target = f"sample_datasets/{name}/pipeline.py:make_loader"
        command = [sys.executable, "-m", "dldoctor", "checkup", target, "--fail-on", "warning", "--quiet"]
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "--time-budget", f"{time_budget:g}", "-o", str(place)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - began
        if not place.exists():
            return Run(done.returncode, f"no report: {done.stderr.strip()[-200:]}", seconds)
        findings = json.loads(place.read_text(encoding="utf-8"))["findings"]
        loud = [f"{one['level']} {one['rule']} {one['name']}" for one in findings if one["level"] != "info"]
        return Run(done.returncode, ", ".join(sorted(loud)), seconds)


def _line(name: str, runs: list[Run]) -> str:
    passed = sum(run.status == 0 for run in runs)
    said = Counter(run.said for run in runs if run.said)
    others = "".join(f"; {count} times {text}" for text, count in said.items())
    seconds = sorted(run.seconds for run in runs)
    took = f"{statistics.median(seconds):.1f} s each ({seconds[0]:.1f} .. {seconds[-1]:.1f})"
    return f"{name}  passed {passed} of {len(runs)}, {took}{others}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--time-budget", type=float, default=60.0, help="seconds of each checkup")
    parser.add_argument("--only", nargs="*", default=[], choices=SAMPLES)
    parser.add_argument("--log", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
