"""The sweep beside loadtune and train-doctor: their pick, their time, and the true rate of their pick.

Run ``python benchmarks/tuners.py`` on a quiet machine (``pip install loadtune train-doctor`` first; what is missing
is skipped, with the reason). All start from a loader without workers and a step that waits; each gives the line to
paste in its own way. The truth is measured here by bare loops in fresh forks, all picks in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from rivals import program
from sweep_accuracy import bare_rate
from sweep_pipelines import PIPELINES, SHORT

WORKLOAD = Path(__file__).with_name("tuner_workload.py")
LIMIT_S = 1800
OURS = "dldoctor sweep"


class Pick(NamedTuple):
    """What a tuner answered."""

    seconds: float
    workers: int = 0
    prefetch: int = 2
    failed: str = ""
    said: str = ""


def ours(name: str, step_ms: float) -> Pick:
    """Run the sweep on the same script's loader."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        target = f"{Path(__file__).with_name('sweep_pipelines.py')}:loader"
        more = ["-k", f"name='{name}'", "-k", "workers=0", "-k", "prefetch=None", "--step-ms", str(step_ms)]
        _, seconds, text = _run(
            [sys.executable, "-m", "dldoctor", "sweep", target, *more, "-o", str(report)], {}
        )
        if not report.exists():
            return Pick(seconds, failed=text)
        found = json.loads(report.read_text(encoding="utf-8"))["evidence"].get("sweep") or {}
    taken = found.get("recommended")
    if taken is None:
        return Pick(seconds, failed=f"no pick: {found.get('verdict')}")
    return Pick(seconds, taken["num_workers"], taken.get("prefetch_factor") or 2, said=found["verdict"])


def loadtune(name: str, step_ms: float) -> Pick:
    """Run its trials; it takes the cheapest within 2% of the best, and keeps what there is if none is better."""
    tool = program("loadtune")
    if tool is None:
        return Pick(0.0, failed="loadtune is not installed")
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw.json")
        report = ["--out", str(Path(folder, "report.md")), "--no-plots", "--save-raw", str(raw)]
        _, seconds, text = _run([tool, "tune", str(WORKLOAD), *report], _told(name, step_ms))
        if not raw.exists():
            return Pick(seconds, failed=text)
        data = json.loads(raw.read_text(encoding="utf-8"))
    rates = [(one["result"].get("throughput", 0.0), one["knobs"]) for one in data["trials"] if one["result"]]
    best = max((rate for rate, _ in rates), default=0.0)
    near = [knobs for rate, knobs in rates if rate >= 0.98 * best > 0]
    if not near or best <= data["baseline"]["throughput"]:
        return Pick(seconds, said="no better config found")
    knobs: dict[str, Any] = min(near, key=lambda one: one.get("num_workers") or 0)
    return Pick(seconds, knobs.get("num_workers") or 0, knobs.get("prefetch_factor") or 2)


def train_doctor(name: str, step_ms: float) -> Pick:
    """Let it prove a change by its own paired runs."""
    tool = program("train-doctor")
    if tool is None:
        return Pick(0.0, failed="train-doctor is not installed")
    with tempfile.TemporaryDirectory() as folder:
        command = [
            tool,
            "fix",
            "--json",
            "--quiet",
            "--no-card",
            "--cwd",
            str(WORKLOAD.parent),
            "--out",
            folder,
        ]
        out, seconds, text = _run([*command, "--", sys.executable, WORKLOAD.name], _told(name, step_ms))
    try:
        answer = json.loads(out)
    except ValueError:
        return Pick(seconds, failed=text)
    proven = json.dumps(answer.get("proven") or "")
    workers = re.search(r"num_workers=(\d+)", proven)
    return Pick(seconds, int(workers[1]) if workers else 0, said="" if workers else "no proven win")


TUNERS = {OURS: ours, "loadtune": loadtune, "train-doctor": train_doctor}


def _told(name: str, step_ms: float) -> dict[str, str]:
    return {"PIPELINE": name, "STEP_MS": str(step_ms)}


def _run(command: list[str], told: dict[str, str]) -> tuple[str, float, str]:
    """Return output, seconds, and the last line said."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, **told},
    ) as running:  # fmt: skip
        try:
            out, err = running.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # what it started as well
            return "", float(LIMIT_S), f"not done after {LIMIT_S} s"
    lines = (err.strip() or out.strip() or "no answer").splitlines()
    return out, time.perf_counter() - started, lines[-1][:120]


def true_rates(
    picks: dict[str, Pick], name: str, step_ms: float, seconds: float, pairs: int
) -> dict[str, float]:
    """Return batches per second of each pick, from runs in turns; the same setting is run once a turn."""
    settings = {(one.workers, one.prefetch if one.workers else 0) for one in picks.values() if not one.failed}
    found: dict[tuple[int, int], list[float]] = {setting: [] for setting in settings}
    for turn in range(pairs):
        for setting in sorted(settings, reverse=turn % 2 == 1):
            found[setting].append(bare_rate(name, *setting, step_ms, seconds))
    return {
        who: statistics.median(found[one.workers, one.prefetch if one.workers else 0])
        for who, one in picks.items()
        if not one.failed
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipelines", help="names, comma-separated")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of one run of the truth")
    parser.add_argument("--pairs", type=int, default=4)
    arguments = parser.parse_args()
    print(
        "pipeline | step ms | tuner | took s | pick | true batches/s | of the best of these | said\n"
        + "|".join(["---"] * 8)
    )
    for name in arguments.pipelines.split(",") if arguments.pipelines else SHORT:
        step_ms = PIPELINES[name][1]
        picks = {who: tuner(name, step_ms) for who, tuner in TUNERS.items()}
        rates = true_rates(picks, name, step_ms, arguments.seconds, arguments.pairs)
        best = max(rates.values(), default=1.0)
        for who, one in picks.items():
            if one.failed:
                print(f"{name} | {step_ms} | {who} | {one.seconds:.0f} | skipped: {one.failed} | | |")
            else:
                pick = f"{one.workers} x {one.prefetch}" if one.workers else "no workers"
                print(
                    f"{name} | {step_ms} | {who} | {one.seconds:.0f} | {pick} | {rates[who]:.1f} | {rates[who] / best:.0%} | {one.said}"
                )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
