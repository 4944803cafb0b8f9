"""Run the planted memory faults and their healthy twins many times, and count wrong verdicts.

``python benchmarks/memory_repeats.py [--repeats 20] [--seconds 30] [--only TEXT] [--log FILE]``. Prints one line a run and a
table; the exit status is 1 where a verdict was wrong. Slopes are held against what the case plants.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402, F401 - loaded once, so that forks need not

from dldoctor.child.launch import fork_caller  # noqa: E402
from dldoctor.diagnose import diagnose  # noqa: E402
from dldoctor.finding import Level  # noqa: E402
from dldoctor.intent import Intent, Limits, TargetOptions  # noqa: E402
from dldoctor.request import Request  # noqa: E402

PLANTED = 60_000
"""Bytes that each sample of the leaking cases keeps."""
CASES: dict[str, tuple[set[str], set[str]]] = {
    "memory_leak:broken": ({"leak"}, {"DL801"}),
    "memory_leak:broken_without_workers": ({"leak"}, {"DL801"}),
    "memory_leak:broken_until_the_epoch_ends": ({"saw-tooth"}, {"DL801"}),
    "memory_leak:broken_cache_without_a_bound": ({"leak"}, {"DL801"}),
    "memory_leak:fixed": ({"plateau"}, set()),
    "memory_leak:healthy_cache_with_a_bound": ({"plateau"}, set()),
    "memory_leak:healthy_cache_of_all_samples": ({"plateau"}, set()),
    "memory_leak:healthy_cache_in_workers_that_end": ({"plateau"}, set()),
    "memory_leak:broken_tokenizer_cache": ({"leak"}, {"DL801"}),
    "memory_leak:healthy_tokenizer_cache": ({"plateau"}, set()),
    "memory_leak:healthy_decoder_ahead_and_shuffle_buffer": ({"plateau"}, set()),
    "copy_on_write_growth:broken": ({"copy-on-write"}, {"DL802"}),
    "copy_on_write_growth:fixed": ({"plateau"}, set()),
    "descriptor_leak:broken": ({"plateau", "leak"}, {"DL803"}),
    "descriptor_leak:broken_sockets": ({"plateau", "saw-tooth"}, {"DL803"}),
    "descriptor_leak:broken_archives": ({"plateau", "leak"}, {"DL803"}),
    "descriptor_leak:broken_lazy_images": ({"plateau", "leak"}, {"DL803"}),
    "descriptor_leak:healthy_lazy_images": ({"plateau"}, set()),
    "descriptor_leak:healthy_hdf5": ({"plateau"}, set()),
    "descriptor_leak:healthy_hdf5_of_few_files": ({"plateau"}, set()),
    "descriptor_leak:healthy_one_client_a_worker": ({"plateau"}, set()),
    "batches_retained:broken": ({"consumer"}, {"DL804"}),
    "batches_retained:fixed": ({"plateau"}, set()),
    "batches_retained:broken_around_the_loader": ({"consumer"}, {"DL804"}),
    "batches_retained:healthy_last_batches": ({"plateau"}, set()),
    "process_leak:broken": ({"plateau", "leak"}, {"DL807"}),
    "process_leak:broken_in_workers_that_live_on": ({"plateau", "leak"}, {"DL807"}),
    "process_leak:fixed": ({"plateau"}, set()),
}
"""Case to the verdicts that are right, and the rules above `info`."""
SLOPED = {
    name for name, (_, rules) in CASES.items() if rules == {"DL801"} and "tokenizer" not in name
}  # of a text the size is not planted


def run(case: str, seconds: float) -> tuple[str, set[str], float | None]:
    """Return verdict, rules above `info`, and the slope over the planted one."""
    module, function = case.split(":")
    zoo = importlib.import_module(f"tests.zoo.{module}")
    limits = {**getattr(zoo, "LIMITS", {}), "time_budget_s": seconds}
    request = Request(
        "watch-memory",
        TargetOptions(f"{ROOT / 'tests' / 'zoo' / module}.py:{function}"),
        intent=Intent(**getattr(zoo, "INTENT", {})),
        limits=Limits(**limits),
    )

    def load(asked: Any) -> Any:
        from dldoctor.targets import resolve

        return resolve(asked.target)

    report = diagnose(request, launcher=fork_caller(load))
    rules = {one.rule for one in report.findings if one.level is not Level.INFO}
    memory = report.evidence.memory
    slope = next(
        (one.facts.get("bytes_per_1000_samples") for one in report.findings if one.rule == "DL801"), None
    )
    ratio = slope / (1000 * PLANTED) if slope is not None and case in SLOPED else None
    return memory.verdict if memory else "none", rules, ratio


def main() -> int:
    """Run all cases and print how often each was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--log", type=Path)
    arguments = parser.parse_args()
    wrong, lines = 0, []
    chosen = {case: right for case, right in CASES.items() if arguments.only in case}
    for case, (verdicts, rules) in chosen.items():
        ratios, right = [], 0
        for repeat in range(arguments.repeats):
            started = time.perf_counter()
            verdict, found, ratio = run(case, arguments.seconds)
            good = verdict in verdicts and found == rules and (ratio is None or abs(ratio - 1) <= 0.1)
            right += good
            ratios += [ratio] if ratio is not None else []
            took = time.perf_counter() - started
            shown = f" slope/planted {ratio:.3f}" if ratio is not None else ""
            lines.append(
                f"{case} #{repeat} {verdict} {sorted(found)}{shown} {took:.1f}s {'' if good else 'WRONG'}"
            )
            print(lines[-1], flush=True)
        wrong += arguments.repeats - right
        spread = f", slope/planted {min(ratios):.3f} to {max(ratios):.3f}" if ratios else ""
        lines.append(f"== {case}: {right} of {arguments.repeats} right{spread}")
        print(lines[-1], flush=True)
    lines.append(f"wrong in all: {wrong}")
    print(lines[-1])
    if arguments.log is not None:
        arguments.log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
