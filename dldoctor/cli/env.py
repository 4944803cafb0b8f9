"""``dldoctor env``: is this machine fit for the loader?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from dldoctor.cli.options import RunOptions

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="path/to/file.py:name, package.module:name, or a name of the config file: limits are held against "
        "what it needs. Without it, the machine alone.",
    ),
]
OpenFiles = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Open files, as `ulimit -n`.",
        rich_help_panel="Judge against another machine",
    ),
]


def env(target: Target = None, open_files: OpenFiles = None, *, options: RunOptions) -> int:
    """Is this machine fit: cores allowed, memory, limits, storage, GPU?

    With a TARGET some of its samples are read, and every limit is held against what it needs; the
    storage below its files is measured by reading a bounded part of them, cold and warm.
    """
    from dldoctor.cli.jobs import Job, plan
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import diagnose
    from dldoctor.diagnose_machine import diagnose_machine
    from dldoctor.finding import FailOn
    from dldoctor.intent import Intent, Limits, TargetOptions
    from dldoctor.progress import OnProgress
    from dldoctor.report import Report
    from dldoctor.request import Request

    asked = {"open_files": open_files} if open_files is not None else {}

    def judge(request: Request, on_progress: OnProgress) -> Report:
        request = replace(request, options={**request.options, **asked})
        return diagnose(request, on_progress) if request.target.spec else diagnose_machine(request)

    if target is not None:
        return run_all(plan("env", target, options), options.output, judge=judge)
    rules = options.rules.given()
    fail_on: FailOn = rules.get("fail_on", "error")
    request = Request(
        command="env",
        target=TargetOptions(""),
        intent=Intent(),
        limits=Limits(**options.limits.given()),
        select=rules.get("select", ()),
        ignore=rules.get("ignore", ()),
    )
    return run_all((Job("machine", request, fail_on, options.rules.baseline),), options.output, judge=judge)
