"""Runs the planted faults of workers and ranks and their healthy twins many times, and counts wrong verdicts.

    python benchmarks/workers_repeats.py --repeats 50 --log benchmarks/workers_repeats.log

Each case is judged by the rules of dry-run and of its own command (``check-workers``, ``check-sharding``)
together, as the zoo's test does. A line a case: how often it was judged rightly, and what was said when it
was not. The log is written line by line; a run that is started again with ``--resume`` leaves out the cases
that it holds.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import sys
import time
from collections import Counter
from pathlib import Path

import torch  # loaded once, so that forks need not

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import dldoctor  # noqa: E402
from dldoctor.checks import CHECKS  # noqa: E402
from dldoctor.finding import Level  # noqa: E402
from tests.test_zoo import examine  # noqa: E402

COMMANDS = ("check-workers", "check-sharding")
SHARED = {
    "worker-died": "check-workers",
    "loader-hang": "check-workers",
    "tail-batch-of-one": "check-sharding",
}
"""Rules of several commands that belong to this family too."""


def main() -> int:
    options = _options()
    done = _done(options.log) if options.resume else []
    if options.log and not options.resume:
        options.log.write_text("", encoding="utf-8")
    if not done:
        versions = (
            f"dldoctor {dldoctor.__version__}, torch {torch.__version__}, Python {platform.python_version()}"
        )
        _say(options.log, f"# {versions}, {os.cpu_count()} cores, {options.repeats} repeats")
    for name, function in _cases(options.only, options.command):
        if not any(line.startswith(f"{name}:{function} ") for line in done):
            line = _case(name, function, options.repeats)
            done.append(line)
            _say(options.log, line)
    counts = [_RIGHT.search(line) for line in done]
    runs = sum(int(found[2]) for found in counts if found)
    wrong = runs - sum(int(found[1]) for found in counts if found)
    _say(options.log, f"{wrong} wrong verdicts in {runs} runs of {len(done)} cases")
    return 1 if wrong else 0


_RIGHT = re.compile(r"right (\d+) of (\d+)")


def _done(log: Path | None) -> list[str]:
    lines = log.read_text(encoding="utf-8").splitlines() if log and log.exists() else []
    return [line for line in lines if _RIGHT.search(line)]


def _say(log: Path | None, line: str) -> None:
    print(line, flush=True)
    if log:
        with log.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _case(name: str, function: str, repeats: int) -> str:
    """Return the line of one case."""
    said: Counter[str] = Counter()
    started = time.perf_counter()
    for _ in range(repeats):
        said[_verdict(name, function)] += 1
    seconds = (time.perf_counter() - started) / repeats
    expected = _expected(name, function)
    others = {text or "(silence)": count for text, count in said.items() if text != expected}
    return f"{name}:{function}  right {said[expected]} of {repeats}, {seconds:.1f} s each" + (
        f", but also {others}" if others else ""
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="rule names, such as shared-handle")
    parser.add_argument("--command", choices=COMMANDS, help="cases of one command only")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--resume", action="store_true", help="leave out the cases that the log holds")
    return parser.parse_args()


def _rules(command: str | None = None) -> dict[str, str]:
    wanted = (command,) if command else COMMANDS
    return {
        check.name: check.rule
        for check in CHECKS
        if SHARED.get(check.name, check.by[0] if len(check.by) == 1 else None) in wanted
    }


def _cases(only: list[str], command: str | None) -> list[tuple[str, str]]:
    found = []
    for rule in _rules(command):
        if only and rule not in only:
            continue
        module = rule.replace("-", "_")
        names = vars(importlib.import_module(f"tests.zoo.{module}"))
        found += [(module, one) for one in names if one.split("_")[0] in ("broken", "fixed", "healthy")]
    return found


def _expected(name: str, function: str) -> str:
    if not function.startswith("broken"):
        return ""
    also = getattr(importlib.import_module(f"tests.zoo.{name}"), "ALSO", set())
    return " ".join(sorted({_rules()[name.replace("_", "-")], *also}))


def _verdict(name: str, function: str) -> str:
    report = examine(name, function)
    return " ".join(sorted({one.rule for one in report.findings if one.level is not Level.INFO}))


if __name__ == "__main__":
    sys.exit(main())
