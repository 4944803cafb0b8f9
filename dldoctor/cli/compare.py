"""``dldoctor compare``: two saved reports, or two loaders, held against each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli import status
from dldoctor.cli.options import OutputGroup, RunOptions
from dldoctor.cli.options.pair import PairGroup
from dldoctor.errors import ConfigError, ReportError
from dldoctor.finding import FailOn, Level
from dldoctor.report import Report
from dldoctor.request import Request

BATCHES = 40
"""Batches of each side, where nothing else is said: what is compared is the same in all."""
First = Annotated[
    str, typer.Argument(metavar="A", help="The earlier report (.json), or the target that trains.")
]
Second = Annotated[
    str, typer.Argument(metavar="B", help="The later report (.json), or the target that evaluates.")
]


def compare(first: First, second: Second, *, pair: PairGroup, options: RunOptions) -> int:
    """Two saved reports, or two loaders, held against each other.

    Two reports (.json): what is new, worse and gone; nothing is run. What was measured with an interval counts as
    changed only where the interval excludes the value of the other run. -o and --format give the later report with
    the earlier one as its baseline.

    Two targets: do train and eval (or before and after) differ where they must not, and do they share items? Both
    are run. A is taken as train and B as eval unless --role-a and --role-b say otherwise.
    """
    kinds = [_is_report(text) for text in (first, second)]
    if all(kinds):
        return _reports(first, second, options.rules.fail_on or "error", options.output)
    if any(kinds):
        report, target = (first, second) if kinds[0] else (second, first)
        raise ConfigError(
            f"`compare` takes two reports or two targets; `{report}` is a report and `{target}` a target (judge it "
            f"first: `dldoctor checkup {target} -o NAME.json`)"
        )
    return _targets(first, second, pair, options)


def _is_report(text: str) -> bool:
    return text.endswith(".json") or (Path(text).is_file() and not text.endswith((".py", ".ipynb")))


def _reports(first: str, second: str, fail_on: FailOn, output: OutputGroup) -> int:
    from dldoctor.baseline import against
    from dldoctor.cli.console import console
    from dldoctor.cli.destinations import TERMINAL, Destinations
    from dldoctor.compare import compare as held_against
    from dldoctor.render.terminal.comparison import comparison_view

    earlier, later = _report(first), _report(second)
    found = held_against(earlier, later)
    places = Destinations.of(output)
    if places.stdout == TERMINAL:
        console(no_color=output.no_color).print(comparison_view(found, verbose=output.verbose))
        places = replace(places, stdout=None)
    places.deliver(against(replace(later, fail_on=fail_on), earlier, first), Path(second).stem)
    worst = found.worst
    return status.FOUND if fail_on != "never" and worst and worst.rank <= Level(fail_on).rank else status.OK


def _report(text: str) -> Report:
    """Return the report in a file.

    Raises:
        ReportError: there is no such file, or it is no report.
    """
    from dldoctor.report import load

    path = Path(text)
    if not path.is_file():
        raise ReportError(f"cannot read {text}: there is no such file")
    return load(path)


def _targets(first: str, second: str, pair: PairGroup, options: RunOptions) -> int:
    from dldoctor.cli.jobs import Job, plan
    from dldoctor.cli.run import run_all
    from dldoctor.compare_targets import compare_targets
    from dldoctor.diagnose import diagnose
    from dldoctor.progress import OnProgress

    if options.intent.role or options.target.loader:
        wrong = "--role" if options.intent.role else "--loader"
        raise ConfigError(f"`{wrong}` is for one target; with two, give `{wrong}-a` and `{wrong}-b`")
    sides = [
        _with(plan("compare", text, options)[0].request, role, loader)
        for text, role, loader in (
            (first, pair.role_a, pair.loader_a),
            (second, pair.role_b, pair.loader_b),
        )
    ]
    named = plan("compare", first, options)[0]
    job: Job = replace(named, request=sides[0])

    def judge(request: Request, on_progress: OnProgress) -> Report:
        return compare_targets(request, sides[1], lambda one: diagnose(one, on_progress))

    return run_all((job,), options.output, judge=judge)


def _with(request: Request, role: str | None, loader: str | None) -> Request:
    """Return a side with what the command line says of it alone."""
    intent = replace(request.intent, role=role) if role else request.intent  # type: ignore[arg-type]  # typer checked it
    target = replace(request.target, loader_key=loader) if loader else request.target
    limits = request.limits
    if limits.batches is None and limits.samples is None and limits.time_budget_s is None:
        limits = replace(limits, batches=BATCHES)
    return replace(request, intent=intent, target=target, limits=limits)
