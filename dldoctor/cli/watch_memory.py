"""``dldoctor watch-memory``: does memory, or do descriptors, grow without end?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli.options import RunOptions, TargetArgument

Mprof = Annotated[
    str | None,
    typer.Option(
        "--mprof", metavar="FILE", rich_help_panel="Output",
        help="Also write the series as a file that `mprof plot` of memory-profiler opens.",
    ),
]  # fmt: skip


def watch_memory(target: TargetArgument = None, mprof: Mprof = None, *, options: RunOptions) -> int:
    """Does memory, or do descriptors, threads or processes, grow without end, and who keeps them?

    Runs the loader of TARGET over the same batches for three short epochs (--epochs), about 30
    seconds in all (--time-budget), and tells growth that ends from growth that does not. With
    --step, growth of the training step is told from that of the loader.
    """
    from dldoctor.cli.destinations import write_whole
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import OnProgress, Request, diagnose
    from dldoctor.render.mprof import mprof as series
    from dldoctor.report import Report

    def judge(request: Request, on_progress: OnProgress) -> Report:
        report = diagnose(request, on_progress)
        if mprof is not None:
            write_whole(Path(mprof), series(report).encode())
        return report

    return run_all(plan("watch-memory", target, options), options.output, judge=judge)
