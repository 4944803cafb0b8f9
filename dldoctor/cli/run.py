"""Run the jobs of one command: diagnose, print, write, and say the exit status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dldoctor.baseline import against
from dldoctor.cli import status
from dldoctor.cli.destinations import Destinations
from dldoctor.cli.fault import own_up
from dldoctor.cli.interrupt import sigterm_interrupts
from dldoctor.cli.jobs import Job, plan
from dldoctor.cli.options import OutputGroup, RunOptions
from dldoctor.cli.progress import shown
from dldoctor.cli.streams import complain
from dldoctor.diagnose import diagnose
from dldoctor.errors import DldoctorError, SeveralLoadersError
from dldoctor.progress import OnProgress
from dldoctor.report import Report, load
from dldoctor.request import Request

Judge = Callable[[Request, OnProgress], Report]


def run(command: str, target: str | None, options: RunOptions) -> int:
    """Run a command on its target, or on each target of the config file; return the exit status."""
    return run_all(plan(command, target, options), options.output)


def run_all(jobs: tuple[Job, ...], output: OutputGroup, *, judge: Judge = diagnose) -> int:
    """Run jobs one after the other; the exit status is the worst of theirs.

    A target that turns out to hold several loaders becomes a job for each. One of several that
    cannot be judged is complained about and does not keep the others from being judged.
    """
    waiting, statuses = list(jobs), []
    destinations = Destinations.of(output, several=len(jobs) > 1)
    several = len(jobs) > 1
    _check_baselines(jobs)
    with sigterm_interrupts():
        while waiting:
            job = waiting.pop(0)
            try:
                with shown(output, job.name if several else "") as on_progress:
                    report = _counted(judge(job.request, on_progress), job)
            except SeveralLoadersError as error:
                destinations, several = Destinations.of(output, several=True), True
                waiting = [*job.each(error.names), *waiting]
                continue
            except DldoctorError as error:
                if not several:
                    raise
                complain(f"{job.name}: {error}")
                statuses.append(status.NOT_JUDGED)
                continue
            destinations.deliver(report, job.name)
            for fault in report.faults:
                own_up(fault.traceback)
            statuses.append(status.of(report, job.fail_on))
            if not report.complete:
                break
    return status.worst(statuses)


def _check_baselines(jobs: tuple[Job, ...]) -> None:
    """Refuse a baseline that is no report before anything is run for it."""
    for place in {job.baseline for job in jobs if job.baseline is not None}:
        if not place.is_dir() and "{target}" not in str(place):
            load(place)


def _counted(report: Report, job: Job) -> Report:
    """Return the report with what counts in it: from which level on, and what the baseline lacks."""
    report = replace(report, fail_on=job.fail_on)
    return report if job.earlier is None else against(report, load(job.earlier), str(job.earlier))
