"""The sweep against the exhaustive grid: prediction, intervals, pick and time.

Run ``python benchmarks/sweep_accuracy.py`` on a quiet machine (hours); ``--short`` takes three
pipelines (minutes), ``--output table.md`` keeps the table. The truth is measured here by bare loops
in fresh forks, forwards and then backwards over the grid, without any code of the sweep.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep_pipelines import PIPELINES, SHORT, loader

from dldoctor.diagnose import diagnose_object
from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.request import Request

WORKERS = (0, 1, 2, 3, 4, 6, 8)
PREFETCHES = (1, 2, 4)
HEAD = (
    "pipeline | step ms | median error | max error | inside 90% | pick | pick / best (interval) | ours s | grid s | share | same of 3\n"
    "---|---|---|---|---|---|---|---|---|---|---"
)


@dataclass(frozen=True)
class Truth:
    """Rates of one setting, one a repeat."""

    rates: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.mean(self.rates)


def bare_rate(name: str, workers: int, prefetch: int, step_ms: float, seconds: float) -> float:
    """Return batches per second after the first workers x prefetch deliveries."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        warnings.simplefilter("ignore")
        stamps: list[float] = []
        skip = workers * prefetch + 1
        iterator = iter(loader(name, workers, prefetch))
        for _ in iterator:
            now = time.perf_counter()
            stamps.append(now)
            if len(stamps) > skip + 12 and now - stamps[skip] > seconds:
                break
            if step_ms:
                time.sleep(max(0.0, now + step_ms / 1e3 - time.perf_counter()))
        del iterator  # ends the workers, whose last batches would disturb the next run
        os.write(write, repr((len(stamps) - 1 - skip) / (stamps[-1] - stamps[skip])).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return float(answer)


def grid(name: str, step_ms: float, seconds: float, repeats: int) -> dict[tuple[int, int | None], Truth]:
    """Measure every point; each pass goes the other way, so that drift strikes all alike."""
    points = [(w, p) for w in WORKERS for p in (PREFETCHES if w else (0,))]
    found: dict[tuple[int, int], list[float]] = {point: [] for point in points}
    for turn in range(repeats):
        for workers, prefetch in points if turn % 2 == 0 else reversed(points):
            found[workers, prefetch].append(bare_rate(name, workers, prefetch, step_ms, seconds))
    return {(w, p or None): Truth(tuple(rates)) for (w, p), rates in found.items()}


def swept(name: str, step_ms: float, budget_s: float | None) -> SweepEvidence:
    """Run the sweep from the default setting of most scripts: two workers, prefetch 2."""
    request = Request(
        "sweep",
        TargetOptions(name),
        intent=Intent(step_ms=step_ms or None),
        limits=Limits(time_budget_s=budget_s),
        options={"workers": list(WORKERS), "prefetch": list(PREFETCHES), "loader_batches": 8},
    )
    evidence = diagnose_object(loader(name, 2, 2), request, probes=("sweep",)).evidence
    found = evidence.sweep
    if found is None:
        raise SystemExit(f"{name}: no sweep: {evidence.missing.get('sweep')}, {evidence.outcome}")
    return found


def paired(
    name: str, pick: tuple[int, int], best: tuple[int, int], step_ms: float, seconds: float, pairs: int
) -> tuple[float, float, float]:
    """Return the rate of the pick over that of the best point with its 90% interval, from runs in turn."""
    ratios = []
    for turn in range(pairs):
        order = (pick, best) if turn % 2 == 0 else (best, pick)
        rates = {point: bare_rate(name, *point, step_ms, seconds) for point in order}
        ratios.append(rates[pick] / rates[best])
    if len(ratios) < 2 or pick == best:
        return 1.0, 1.0, 1.0
    half = {2: 6.314, 3: 2.920, 4: 2.353, 5: 2.132}.get(pairs, 1.9) * statistics.stdev(ratios) / pairs**0.5
    mean = statistics.mean(ratios)
    return mean, mean - half, mean + half


def row(name: str, step_ms: float, arguments: argparse.Namespace) -> str:
    """Return one line of the table."""
    started = time.perf_counter()
    truth = grid(name, step_ms, arguments.seconds, arguments.repeats)
    grid_s = time.perf_counter() - started
    sweeps = [swept(name, step_ms, arguments.budget) for _ in range(arguments.sweeps)]
    ours = sweeps[0]
    errors, inside = [], 0
    for point in ours.points:
        real = truth.get((point.num_workers, point.prefetch_factor))
        if real is None or point.predicted is None or point.low is None or point.high is None:
            continue
        errors.append(abs(math.log(point.predicted / real.mean)))
        inside += point.low <= real.mean <= point.high
    best = max(truth, key=lambda point: truth[point].mean)
    taken: Any = ours.recommended
    shown, ratio = "too noisy to say" if taken is None else "", ""
    if taken is not None:
        pick = (taken["num_workers"], taken.get("prefetch_factor") or 0)
        mean, low, high = paired(
            name, pick, (best[0], best[1] or 0), step_ms, arguments.seconds, arguments.pairs
        )
        shown, ratio = f"{pick[0]} x {pick[1]}", f"{mean:.3f} ({low:.3f} .. {high:.3f})"
    picks = {str(one.recommended) for one in sweeps}
    equal = [set(one.equal) for one in sweeps]
    same = "yes" if len(picks) == 1 else "equal" if set.intersection(*equal) else "no"
    return (
        f"{name} | {step_ms or '-'} | {statistics.median(errors):.1%} | {max(errors):.1%} | {inside}/{len(errors)} "
        f"| {shown} | {ratio} | {ours.seconds:.0f} | {grid_s:.0f} | {ours.seconds / grid_s:.0%} "
        f"| {same}{' NOISY' if ours.noisy else ''}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="three pipelines, one sweep each")
    parser.add_argument("--pipelines", help="names, comma-separated")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of one run of the grid")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each point of the grid")
    parser.add_argument("--pairs", type=int, default=4, help="runs of the pick against the best point")
    parser.add_argument("--sweeps", type=int, default=3, help="sweeps of each loader")
    parser.add_argument("--budget", type=float, help="seconds of a sweep; its default without")
    parser.add_argument("--output", type=Path, help="where to keep the table")
    arguments = parser.parse_args()
    if arguments.short:
        arguments.sweeps, arguments.repeats, arguments.pairs = 1, min(2, arguments.repeats), 2
    names = (
        arguments.pipelines.split(",")
        if arguments.pipelines
        else SHORT
        if arguments.short
        else tuple(PIPELINES)
    )
    lines = [HEAD]
    print(HEAD, flush=True)
    for name in names:
        for step_ms in (0.0, PIPELINES[name][1]):
            lines.append(row(name, step_ms, arguments))
            print(lines[-1], flush=True)
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
