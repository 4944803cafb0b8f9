"""``dldoctor compare``: what is new, worse and gone between two saved reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli import status
from dldoctor.cli.options import OutputGroup
from dldoctor.errors import ConfigError, ReportError
from dldoctor.finding import FailOn, Level
from dldoctor.report import Report

Before = Annotated[str, typer.Argument(metavar="A.json", help="The earlier report, written by -o as JSON.")]
After = Annotated[str, typer.Argument(metavar="B.json", help="The later report.")]
FailOnOption = Annotated[
    FailOn, typer.Option(help="Exit with 1 if what is new or worse is of this level or worse.")
]


def compare(before: Before, after: After, *, fail_on: FailOnOption = "error", output: OutputGroup) -> int:
    """What is new, worse and gone between two saved reports. Nothing is run.

    What was measured with an interval counts as changed only where the interval excludes the value of
    the other run. -o and --format give the later report with the earlier one as its baseline.
    """
    from dataclasses import replace

    from dldoctor.baseline import against
    from dldoctor.cli.console import console
    from dldoctor.cli.destinations import TERMINAL, Destinations
    from dldoctor.compare import compare as held_against
    from dldoctor.render.terminal.comparison import comparison_view

    earlier, later = _report(before), _report(after)
    found = held_against(earlier, later)
    places = Destinations.of(output)
    if places.stdout == TERMINAL:
        console(no_color=output.no_color).print(comparison_view(found, verbose=output.verbose))
        places = replace(places, stdout=None)
    places.deliver(against(replace(later, fail_on=fail_on), earlier, before), Path(after).stem)
    worst = found.worst
    return status.FOUND if fail_on != "never" and worst and worst.rank <= Level(fail_on).rank else status.OK


def _report(text: str) -> Report:
    """Return the report in a file.

    Raises:
        ConfigError: the text names a target, which was not judged yet.
        ReportError: there is no such file, or it is no report.
    """
    from dldoctor.report import load

    path = Path(text)
    if path.is_file() and path.suffix != ".py":
        return load(path)
    if path.suffix == ".json":
        raise ReportError(f"cannot read {text}: there is no such file")
    raise ConfigError(
        f"`compare` takes two reports, and `{text}` is none; judge a target first with "
        f"`dldoctor checkup {text} -o NAME.json`"
    )
