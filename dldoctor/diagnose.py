"""The arrow: target, probe, evidence, check, finding, report."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dldoctor import __version__
from dldoctor.child.events import Gathered
from dldoctor.child.launch import Launcher, fork_caller, start_interpreter
from dldoctor.child.request import ChildRequest
from dldoctor.child.supervise import supervise
from dldoctor.commands import CHECKUP, checks_of, command_of, shares_of
from dldoctor.environment.measure import environment_for
from dldoctor.errors import InternalError
from dldoctor.evidence import Evidence
from dldoctor.gather import gather
from dldoctor.judge import judge
from dldoctor.progress import OnProgress, progress_of, silent
from dldoctor.report import SCHEMA, Fault, Overhead, Report, Tool, summarise
from dldoctor.reproduce import arguments_of
from dldoctor.request import Request, declared
from dldoctor.rules import chosen
from dldoctor.targets.address import parse_address
from dldoctor.targets.import_safety import refuse_scripts

CHECKUP_SECONDS = 60.0
"""Time budget of a checkup."""
CHECKUP_SEED = 0
"""Seed of a checkup: what is near a threshold must not be found in one run and not in the next."""


def diagnose(
    request: Request,
    on_progress: OnProgress = silent,
    launcher: Launcher | None = None,
    also: tuple[str, ...] = (),
) -> Report:
    """Run the probes of a command on a target in a child process, judge, and return the report.

    `launcher` starts that process otherwise than as the request says (a fork with torch loaded).
    `also` names further commands whose probes run and whose rules are judged in the same run.

    Raises:
        TargetError: the target was not found, or its import or its call raised.
        ChildError: the interpreter could not be started, or is too old.
        InternalError: a fault of dldoctor's own before any probe could run; one in a probe or a check
            stands in `Report.faults`, and what hangs on it is not judged.
    """
    address = parse_address(request.target.spec)  # what can be refused without torch is refused at once
    if address.file is not None and not request.target.allow_script:
        refuse_scripts(address.file, address.name)
    launcher = launcher or start_interpreter(request.python)
    return _run(request, launcher, on_progress, also=also)


def diagnose_object(
    target: Any, request: Request, on_progress: OnProgress = silent, probes: tuple[str, ...] | None = None
) -> Report:
    """Judge a live loader or dataset in a fork of this process; see `diagnose`.

    `probes` runs only some of the command's probes.
    """

    def load(asked: ChildRequest) -> Any:
        from dldoctor.targets import from_object

        return from_object(target, asked.target)

    return _run(request, fork_caller(load), on_progress, probes)


def _run(
    request: Request,
    launcher: Launcher,
    on_progress: OnProgress,
    only: tuple[str, ...] | None = None,
    also: tuple[str, ...] = (),
) -> Report:
    request = _with_defaults(request)
    wanted = chosen(request.select, request.ignore)
    commands = [command_of(name, wanted) for name in dict.fromkeys((request.command, *also))]
    every = only or tuple(
        dict.fromkeys(probe for command in commands for probe in (*command.probes, *command.shows))
    )
    started, clock = datetime.now(UTC), time.perf_counter()

    def make_request(staging: Path, pipe: int) -> ChildRequest:
        return ChildRequest(
            target=request.target,
            intent=request.intent,
            limits=request.limits,
            probes=every,
            staging=str(staging),
            events=pipe,
            options=request.options,
            shares=shares_of(request.command),
        )

    found = supervise(make_request, launcher, lambda event: on_progress(progress_of(event, every)))
    if found.fault is not None:
        raise InternalError(found.fault)
    if found.refusal is not None:
        raise found.refusal
    branches = tuple(dict.fromkeys(branch for command in commands for branch in command.branches))
    evidence = gather(found, request.limits, branches)
    if "needs" in branches:
        evidence = replace(
            evidence, environment=environment_for(evidence.needs, evidence.machine, request.options)
        )
    checks = [check for check in chosen((), ()) if any(check in checks_of(one.name) for one in commands)]
    judged = judge(evidence, request, found.inferred, checks, tuple(one.name for one in commands))
    return Report(
        schema=SCHEMA,
        tool=Tool("dldoctor", __version__),
        command=request.command,
        target=request.target.spec,
        complete=not found.interrupted,
        started_at=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        duration_s=round(time.perf_counter() - clock, 3),
        overhead=_overhead(evidence),
        machine=asdict(evidence.machine) if evidence.machine else {},
        loader=asdict(evidence.loader) if evidence.loader else {},
        declared=declared(request),
        inferred=found.inferred,
        evidence=evidence,
        checks=judged.checks,
        findings=judged.findings,
        summary=summarise(judged.findings),
        arguments=arguments_of(request.target),
        faults=(*_probe_faults(found), *judged.faults),
    )


def _probe_faults(found: Gathered) -> tuple[Fault, ...]:
    return tuple(Fault(f"the probe `{name}`", text) for name, text in found.probe_faults.items())


def _overhead(evidence: Evidence) -> Overhead:
    timing = evidence.timing
    own = timing.overhead_ns if timing else 0
    theirs = timing.loader_cpu_ns if timing else 0
    return Overhead(own / 1e9, own / theirs if theirs else 0.0)


def _with_defaults(request: Request) -> Request:
    """Return the request with the time and the seed of a checkup, where none was given."""
    if request.command != CHECKUP.name:
        return request
    limits = request.limits
    return replace(
        request,
        limits=replace(
            limits,
            time_budget_s=CHECKUP_SECONDS if limits.time_budget_s is None else limits.time_budget_s,
            seed=CHECKUP_SEED if limits.seed is None else limits.seed,
        ),
    )
