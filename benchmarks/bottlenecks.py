"""Whether ``dldoctor profile`` names the bottleneck, and whether its advice helps when it is followed.

Run ``python benchmarks/bottlenecks.py`` on a quiet machine (about a minute a row). Each pipeline has one
known bottleneck and a twin that follows the advice; both run bare in pairs of the order A B B A, and the
ratio of their rates is printed with its 90% interval. Status 1 where a bottleneck is not named, where the
advice does not help, or where more workers are advised although they cannot help.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bottleneck_pipelines import PIPELINES, Known
from paired import bare_rate, spread

from dldoctor.diagnose import diagnose_object
from dldoctor.finding import Finding, Level
from dldoctor.intent import Limits, TargetOptions
from dldoctor.request import Request

FILL = 8
"""Workers whose prefetched batches are not counted, in all runs alike."""
MORE = ("more workers wait at the same time", "Start more workers", "Start workers")


def findings(name: str, known: Known, batches: int) -> list[Finding]:
    """Profile the pipeline; return what was found, the worst first."""
    request = Request("profile", TargetOptions(name), limits=Limits(batches=batches))
    return list(diagnose_object(known.now(), request).findings)


def row(name: str, known: Known, arguments: argparse.Namespace) -> tuple[str, bool]:
    """Return one line of the table, and whether all in it is right."""
    found = findings(name, known, arguments.batches)
    speed = [one for one in found if one.rule.startswith("DL7")]
    ours: Any = next((one for one in speed if one.rule == known.rule), None)
    said = f"{ours.message} {ours.facts.get('call', '')} {ours.facts.get('stage', '')}" if ours else ""
    named = ours is not None and ours.level is Level.WARNING and known.named in said
    first = ours.advice if ours else ""
    wrong = known.full and any(text in one.advice for one in speed for text in MORE)
    others = [one.rule for one in speed if one.rule != known.rule and one.level is not Level.INFO]
    mean, low, high = spread(
        lambda: bare_rate(known.now, FILL, arguments.batches),
        lambda: bare_rate(known.followed, FILL, arguments.batches),
        arguments.pairs,
    )
    good = named and known.advice in first and not wrong and not others and low > 1.0
    besides = "more workers advised" if wrong else ", ".join(others) or "-"
    line = (
        f"{name} | {ours.rule if ours else '-'} {'named' if named else 'NOT NAMED'} | {first or '-'} "
        f"| {mean:.2f} ({low:.2f} .. {high:.2f}) | {besides} | {'ok' if good else 'OFF'}"
    )
    return line, good


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=100, help="of each run")
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--only", help="names, comma-separated")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(PIPELINES)
    print("pipeline | found | advice | rate when followed / now | besides | right\n---|---|---|---|---|---")
    good = [True]
    for name in chosen:
        line, right = row(name, PIPELINES[name], arguments)
        good.append(right)
        print(line, flush=True)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
