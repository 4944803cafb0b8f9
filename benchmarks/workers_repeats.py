"""Runs the planted faults of ``check-workers`` and their healthy twins many times, and counts wrong verdicts.

    python benchmarks/workers_repeats.py --repeats 50 --log workers_repeats.log

Each case is judged by dry-run's and check-workers' rules together, as the zoo's test does. A line a
case: how often it was judged rightly, and what was said when it was not.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter
from pathlib import Path

import torch  # noqa: F401 - loaded once, so that forks need not

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dldoctor.checks import CHECKS  # noqa: E402
from dldoctor.finding import Level  # noqa: E402
from tests.test_zoo import examine  # noqa: E402


def main() -> int:
    options = _options()
    wrong, lines = 0, []
    for name, function in _cases(options.only):
        said: Counter[str] = Counter()
        started = time.perf_counter()
        for _ in range(options.repeats):
            said[_verdict(name, function)] += 1
        seconds = (time.perf_counter() - started) / options.repeats
        right = said[_expected(name, function)]
        wrong += options.repeats - right
        others = {text: count for text, count in said.items() if text != _expected(name, function)}
        lines.append(
            f"{name}:{function}  right {right} of {options.repeats}, {seconds:.1f} s each"
            + (f", but also {others}" if others else "")
        )
        print(lines[-1], flush=True)
    lines.append(f"{wrong} wrong verdicts in {len(lines) * options.repeats} runs")
    print(lines[-1])
    if options.log:
        options.log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="rule names, such as shared-handle")
    parser.add_argument("--log", type=Path)
    return parser.parse_args()


def _rules() -> dict[str, str]:
    return {check.name: check.rule for check in CHECKS if check.by == ("check-workers",)}


def _cases(only: list[str]) -> list[tuple[str, str]]:
    found = []
    for rule in _rules():
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
