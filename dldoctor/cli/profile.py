"""``dldoctor profile``: where does the time of a sample and of a batch go?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli.options import RunOptions, TargetArgument

Trace = Annotated[
    str | None,
    typer.Option(
        "--trace", metavar="FILE", rich_help_panel="Output",
        help="Also write the first batches as a Chrome trace, for Perfetto.",
    ),
]  # fmt: skip
TensorBoard = Annotated[
    str | None,
    typer.Option(
        "--tensorboard", metavar="DIR", rich_help_panel="Output",
        help="Also write that trace where TensorBoard's profiler plugin looks for it.",
    ),
]  # fmt: skip


def profile(
    target: TargetArgument = None,
    trace: Trace = None,
    tensorboard: TensorBoard = None,
    *,
    options: RunOptions,
) -> int:
    """Where the time of a sample and of a batch goes, per stage, sample and worker, and what would help.

    Runs the loader of TARGET for about 100 batches or 30 seconds with timers in your own functions,
    inside the workers, and then tries some remedies on your data.
    """
    from dldoctor.cli.destinations import write_whole
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import diagnose
    from dldoctor.progress import OnProgress
    from dldoctor.render.trace import chrome_trace
    from dldoctor.report import Report
    from dldoctor.request import Request

    jobs = plan("profile", target, options)
    names = {id(job.request): job.name for job in jobs}

    def judge(request: Request, on_progress: OnProgress) -> Report:
        report = diagnose(request, on_progress)
        name = names.get(id(request)) or request.target.loader_key or "loader"
        if trace is not None:
            path = trace.replace("{target}", name)
            write_whole(Path(path), chrome_trace(report).encode())
        if tensorboard is not None:
            write_whole(Path(tensorboard) / f"dldoctor-{name}.pt.trace.json", chrome_trace(report).encode())
        return report

    return run_all(jobs, options.output, judge=judge)
