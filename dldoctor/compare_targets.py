"""Two loaders held against each other: each is examined as it is, then rules judge both."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, replace

from dldoctor.commands import COMPARE, checks_of
from dldoctor.evidence import Evidence
from dldoctor.finding import Judgement
from dldoctor.judge import judge
from dldoctor.report import Overhead, Report, summarise
from dldoctor.reproduce import arguments_of
from dldoctor.request import Request
from dldoctor.splits import splits_of

Examine = Callable[[Request], Report]


def compare_targets(first: Request, second: Request, examine: Examine) -> Report:
    """Return the report on two loaders; `examine` runs one of the requests."""
    asked = replace(first, options={**first.options, "against": asdict(second.target)})
    seen = (examine(asked), examine(second))
    roles = (first.intent.role or "train", second.intent.role or "eval")
    evidence = Evidence(
        machine=seen[0].evidence.machine,
        splits=splits_of(*seen, roles),
        missing={"splits": "one of the loaders gave nothing"},
    )
    checks, findings, faults = judge(evidence, first, {}, checks_of(COMPARE.name))
    command = _command(first, second)
    findings = tuple(replace(one, reproduce=f"{command} --select {one.rule}") for one in findings)
    return replace(
        seen[0],
        target=f"{seen[0].whole_target} {seen[1].whole_target}",
        arguments="",
        complete=all(one.complete for one in seen),
        duration_s=round(sum(one.duration_s for one in seen), 3),
        loader={},
        overhead=Overhead(),
        declared={},
        inferred={},
        evidence=evidence,
        checks=tuple(_unless_empty(one, seen) for one in checks),
        findings=findings,
        summary=summarise(findings),
        faults=(*(fault for one in seen for fault in one.faults), *faults),
    )


def _unless_empty(judgement: Judgement, seen: tuple[Report, Report]) -> Judgement:
    """A side of which no batch was seen proves nothing."""
    empty = [one for one in seen if one.evidence.batches is None or not one.evidence.batches.delivered]
    if not empty or judgement.status != "clean":
        return judgement
    return replace(
        judgement, status="insufficient-evidence", reason=f"no batch of {empty[0].target} was seen"
    )


def _command(first: Request, second: Request) -> str:
    parts = ["dldoctor", "compare", first.target.spec, second.target.spec]
    loaders = (("a", first), ("b", second))
    parts += [
        word
        for side, one in loaders
        if one.target.loader_key
        for word in (f"--loader-{side}", one.target.loader_key)
    ]
    shared = arguments_of(replace(first.target, loader_key=None))
    roles = [word for side, one in loaders if one.intent.role for word in (f"--role-{side}", one.intent.role)]
    return " ".join(filter(None, (shlex.join(parts), shared, shlex.join(roles))))
