"""What profiling costs: ours beside torch.profiler, py-spy, viztracer and scalene, in the same run.

Run ``python benchmarks/rivals.py`` on a quiet machine (``pip install py-spy viztracer scalene`` first; what is
missing is skipped, with the reason). Each pair runs the loader of `known_stages.py` bare and under one profiler,
each in an interpreter of its own, in the order A B B A; the ratio of their times a batch is printed with its 90%
interval, and the CPU of the whole runs (ours tries remedies after the loader has run, which is no overhead of it
but is counted there), beside what each sees.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from paired import spread


def program(name: str) -> str | None:
    """Return a program of this environment, else of the path."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


SCRIPT = Path(__file__).with_name("rival_loop.py")
LIMIT_S = 600


@dataclass(frozen=True)
class Rival:
    """A profiler, and how it is started around a Python script."""

    command: Callable[[Path, list[str]], list[str]]
    """Of a folder for its output, and the script with its arguments."""
    sees: str
    needs: str | None = None
    """A program that must be there."""


def _python(_folder: Path, script: list[str]) -> list[str]:
    return [sys.executable, *script]


RIVALS: dict[str, Rival] = {
    "dldoctor profile": Rival(lambda f, s: _python(f, [*s, "ours"]), "each statement in each worker, and the hand-over"),
    "torch.profiler": Rival(lambda f, s: _python(f, [*s, "torch"]), "next() in the main process"),
    "py-spy record -s": Rival(
        lambda f, s: [str(program("py-spy")), "record", "-s", "-f", "raw", "-o", str(f / "out"), "--", sys.executable, *s],
        "functions in each worker, sampled", "py-spy",
    ),
    "viztracer": Rival(
        lambda f, s: [str(program("viztracer")), "--log_multiprocess", "-o", str(f / "out.json"), "--", *s],
        "calls in each worker, unbounded trace", "viztracer",
    ),
    "scalene": Rival(
        lambda f, s: [sys.executable, "-m", "scalene", "run", "--cpu-only", "-o", str(f / "out.json"), *s],
        "lines of the main process, sampled; workers by its own fork hooks", "scalene",
    ),
}  # fmt: skip


class Failed(Exception):  # noqa: N818 - what happened to a rival, not an error of ours
    """A profiler did not get through the loader."""


def once(rival: Rival | None, workers: int, batches: int) -> tuple[float, float]:
    """Return milliseconds a batch and CPU seconds of one run, bare or under a profiler."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result")
        script = [str(SCRIPT), str(result), str(workers), str(batches)]
        command = (rival.command if rival else _python)(Path(folder), script)
        before = _cpu_of_children()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=folder
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"not done after {LIMIT_S} s") from None
        if not result.exists():
            raise Failed((done.stderr.strip() or done.stdout.strip() or "no result").splitlines()[-1][:120])
        return float(result.read_text(encoding="utf-8")), _cpu_of_children() - before


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(name: str, rival: Rival, workers: int, arguments: argparse.Namespace) -> str:
    """Return one line of the table."""
    if rival.needs and program(rival.needs) is None:
        return f"{name} | {workers} | skipped: {rival.needs} is not installed | | {rival.sees}"
    cpu: list[tuple[float, float]] = []

    def bare() -> float:
        ms, used = once(None, workers, arguments.batches)
        cpu.append((used, 0.0))
        return ms

    def under() -> float:
        ms, used = once(rival, workers, arguments.batches)
        cpu.append((0.0, used))
        return ms

    try:
        mean, low, high = spread(bare, under, arguments.pairs)
    except Failed as failed:
        return f"{name} | {workers} | skipped: {failed} | | {rival.sees}"
    ours, theirs = (sum(pair[place] for pair in cpu) for place in (0, 1))
    return f"{name} | {workers} | {mean:.3f} ({low:.3f} .. {high:.3f}) | {theirs / ours:.2f} | {rival.sees}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--only", help="names, comma-separated")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(RIVALS)
    print("profiler | workers | time a batch under it / bare | CPU of the whole run / bare | what it sees")
    print("---|---|---|---|---")
    for workers in arguments.workers:
        for name in chosen:
            print(row(name, RIVALS[name], workers, arguments), flush=True)


if __name__ == "__main__":
    main()
