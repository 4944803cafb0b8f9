"""Evidence to findings: every check judges, each by what it needs."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dldoctor.checks import Case
from dldoctor.checks.base import Check
from dldoctor.commands import CHECKUP, owner_of, unusable
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Judgement, Remark, Unjudged
from dldoctor.report import Fault, order
from dldoctor.reproduce import command_line
from dldoctor.request import Request
from dldoctor.rule_settings import configured
from dldoctor.rules import chosen
from dldoctor.third_party import results_of


class Judged(NamedTuple):
    """What the checks said together."""

    checks: tuple[Judgement, ...]
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...]
    """Checks of ours that raised."""


def judge(
    evidence: Evidence,
    request: Request,
    inferred: dict[str, Any],
    checks: Sequence[Check],
    also: tuple[str, ...] = (),
) -> Judged:
    """Let every check judge; selection filters afterwards and promotes nothing.

    `also` are the commands that were run, where they are not the request's alone. A check of ours that
    raises did not judge, and keeps no other from judging.
    """
    case = Case(evidence, request.intent, inferred, also or (request.command,))
    judgements, findings, faults = [], list[Finding](), list[Fault]()
    wanted = chosen(request.select, request.ignore)
    for check in checks:
        if check not in wanted:
            judgements.append(Judgement(check.rule, check.name, "skipped", "not selected"))
            continue
        try:
            verdict, own = _judge_one(configured(check, request.settings), case)
        except Exception:  # noqa: BLE001 - a fault of ours must not cost the user the other rules
            faults.append(Fault(f"the check {check.rule} {check.name}", traceback.format_exc()))
            verdict, own = Judgement(check.rule, check.name, "skipped", "dldoctor itself failed in it"), []
        judgements.append(verdict)
        command = owner_of(check) if request.command == CHECKUP.name else request.command
        findings += [
            replace(one, reproduce=command_line(command, one, request.target, request.intent, request.limits))
            for one in own
        ]
    return Judged((*judgements, *unusable()), order(findings), tuple(faults))


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
