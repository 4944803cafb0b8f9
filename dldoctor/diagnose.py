"""The arrow: target, probe, evidence, check, finding, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dldoctor import __version__
from dldoctor.checks import Case
from dldoctor.checks.base import Check
from dldoctor.child.events import InternalError
from dldoctor.child.launch import Launcher, fork_caller, start_interpreter
from dldoctor.child.request import ChildRequest
from dldoctor.child.supervise import supervise
from dldoctor.commands import CHECKUP, checks_of, command_of, owner_of, shares_of, unusable
from dldoctor.environment.measure import environment_for
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Judgement, Remark, Unjudged
from dldoctor.gather import gather
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.progress import OnProgress, progress_of, silent
from dldoctor.report import SCHEMA, Overhead, Report, Tool, order, summarise
from dldoctor.reproduce import arguments_of, command_line
from dldoctor.rule_settings import configured
from dldoctor.rules import chosen
from dldoctor.targets.address import parse_address
from dldoctor.targets.import_safety import refuse_scripts
from dldoctor.third_party import results_of


@dataclass(frozen=True)
class Request:
    """One command on one target, as the command line or the Python API asks for it."""

    command: str
    """``dry-run``, ..."""
    target: TargetOptions
    intent: Intent = Intent()
    limits: Limits = Limits()
    python: str | None = None
    """Interpreter that runs the user's code; null for this one."""
    select: tuple[str, ...] = ()
    """Rules to judge: numbers, names, prefixes; empty means all."""
    ignore: tuple[str, ...] = ()
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Rule number to settings that differ from the rule's own."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of this command alone, as plain JSON values; its probes read them."""


CHECKUP_SECONDS = 60.0
"""Time budget of a checkup."""


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
        InternalError: a fault of dldoctor's own in the child.
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
    request = _with_budget(request)
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
    judgements, findings = judge(
        evidence, request, found.inferred, checks, tuple(one.name for one in commands)
    )
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
        checks=judgements,
        findings=findings,
        summary=summarise(findings),
        arguments=arguments_of(request.target),
    )


def declared(request: Request) -> dict[str, Any]:
    """Return what was declared, for the report: the intent, and settings of rules that are not their own."""
    rules = {f"{rule}.{name}": value for rule, own in request.settings.items() for name, value in own.items()}
    return request.intent.declared() | ({"rules": rules} if rules else {})


def _overhead(evidence: Evidence) -> Overhead:
    timing = evidence.timing
    own = timing.overhead_ns if timing else 0
    theirs = timing.loader_cpu_ns if timing else 0
    return Overhead(own / 1e9, own / theirs if theirs else 0.0)


def _with_budget(request: Request) -> Request:
    """Return the request with the time of a checkup, where none was given."""
    if request.command != CHECKUP.name or request.limits.time_budget_s is not None:
        return request
    return replace(request, limits=replace(request.limits, time_budget_s=CHECKUP_SECONDS))


def judge(
    evidence: Evidence,
    request: Request,
    inferred: dict[str, Any],
    checks: Sequence[Check],
    also: tuple[str, ...] = (),
) -> tuple[tuple[Judgement, ...], tuple[Finding, ...]]:
    """Let every check judge; selection filters afterwards and promotes nothing.

    `also` are the commands that were run, where they are not the request's alone.
    """
    case = Case(evidence, request.intent, inferred, also or (request.command,))
    judgements, findings = [], list[Finding]()
    wanted = chosen(request.select, request.ignore)
    for check in checks:
        if check not in wanted:
            judgements.append(Judgement(check.rule, check.name, "skipped", "not selected"))
            continue
        verdict, own = _judge_one(configured(check, request.settings), case)
        judgements.append(verdict)
        command = owner_of(check) if request.command == CHECKUP.name else request.command
        findings += [
            replace(one, reproduce=command_line(command, one, request.target, request.intent, request.limits))
            for one in own
        ]
    return (*judgements, *unusable()), order(findings)


def _judge_one(check: Check, case: Case) -> tuple[Judgement, list[Finding]]:
    for branch in check.needs:
        if getattr(case.evidence, branch) is None:
            reason = case.evidence.missing.get(branch, f"no {branch} were seen")
            nature = _by_nature(branch, case)
            return Judgement(check.rule, check.name, "not-applicable" if nature else "skipped", reason), []
    results = results_of(check, case)
    findings = [one for one in results if isinstance(one, Finding)]
    unjudged = [one for one in results if isinstance(one, Unjudged)]
    if findings:
        return Judgement(check.rule, check.name, "finding"), findings
    if unjudged:
        return Judgement(check.rule, check.name, unjudged[0].status, unjudged[0].reason), []
    rests_on = next((one.reason for one in results if isinstance(one, Remark)), "")
    return Judgement(check.rule, check.name, "clean", rests_on), []


def _by_nature(branch: str, case: Case) -> bool:
    """Whether a branch is missing because the loader has nothing of the kind."""
    outcome = case.evidence.outcome
    if branch in case.evidence.left_out:
        return False
    return branch in case.evidence.missing and not (outcome.deaths or outcome.hangs or outcome.interrupted)
