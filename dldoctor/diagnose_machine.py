"""The arrow without a target: the machine alone is measured and judged."""

from __future__ import annotations

import platform
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime

from dldoctor import __version__
from dldoctor.commands import checks_of
from dldoctor.environment.measure import environment_for
from dldoctor.evidence import Evidence
from dldoctor.judge import judge
from dldoctor.machine import measure
from dldoctor.report import SCHEMA, Overhead, Report, Tool, summarise
from dldoctor.request import Request, declared


def diagnose_machine(request: Request) -> Report:
    """Judge the machine alone: no target, no child process, no torch."""
    started, clock = datetime.now(UTC), time.perf_counter()
    evidence = Evidence(
        machine=measure(request.limits, python=platform.python_version()),
        missing={"needs": "no target was given", "loader": "no target was given"},
    )
    evidence = replace(evidence, environment=environment_for(None, evidence.machine, request.options))
    judgements, findings, faults = judge(evidence, request, {}, checks_of("env"))
    return Report(
        schema=SCHEMA,
        tool=Tool("dldoctor", __version__),
        command=request.command,
        target="",
        complete=True,
        started_at=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        duration_s=round(time.perf_counter() - clock, 3),
        overhead=Overhead(),
        machine=asdict(evidence.machine) if evidence.machine else {},
        loader={},
        declared=declared(request),
        inferred={},
        evidence=evidence,
        checks=judgements,
        findings=findings,
        summary=summarise(findings),
        faults=faults,
    )
