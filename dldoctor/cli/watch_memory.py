"""``dldoctor watch-memory``: does memory, or do descriptors, grow without end?"""

from __future__ import annotations

from dataclasses import replace
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
Memray = Annotated[
    str | None,
    typer.Option(
        "--memray", metavar="FILE", rich_help_panel="Output",
        help="Also read samples under memray, where the environment of the loader has it, and write its recording: "
        "it sees what libraries take beside Python.",
    ),
]  # fmt: skip


def watch_memory(
    target: TargetArgument = None, mprof: Mprof = None, memray: Memray = None, *, options: RunOptions
) -> int:
    """Does memory, or do descriptors, threads or processes, grow without end, and who keeps them?

    Runs the loader of TARGET over the same batches for three short epochs (--epochs), about 30
    seconds in all (--time-budget), and tells growth that ends from growth that does not. With
    --step, growth of the training step is told from that of the loader.
    """
    from dldoctor.cli.destinations import write_whole
    from dldoctor.cli.jobs import Job, plan
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import diagnose
    from dldoctor.errors import ConfigError
    from dldoctor.progress import OnProgress
    from dldoctor.render.mprof import mprof as series
    from dldoctor.report import Report
    from dldoctor.request import Request

    def judge(request: Request, on_progress: OnProgress) -> Report:
        report = diagnose(request, on_progress)
        if mprof is not None:
            write_whole(Path(mprof), series(report).encode())
        return report

    jobs = plan("watch-memory", target, options)
    for name, file in (("--mprof", mprof), ("--memray", memray)):
        if file is not None and len(jobs) > 1:
            raise ConfigError(f"`{name}` writes one file and {len(jobs)} targets are meant: name one of them")

    def recorded(job: Job) -> Job:
        own = {"memray": str(Path(memray).absolute())} if memray is not None else {}
        return replace(job, request=replace(job.request, options={**job.request.options, **own}))

    return run_all(tuple(map(recorded, jobs)), options.output, judge=judge)
