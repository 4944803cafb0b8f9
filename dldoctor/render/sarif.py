"""SARIF 2.1.0, which code scanning shows at the line of the user's code."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any, Final

from dldoctor.baseline import fingerprints
from dldoctor.errors import ConfigError
from dldoctor.finding import Finding, Level
from dldoctor.render.clean_text import clean
from dldoctor.render.content.judgements import not_judged
from dldoctor.render.content.verdict import incomplete
from dldoctor.render.project import Place, place_of
from dldoctor.report import Report

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Final = {
    Level.ERROR: "error",
    Level.WARNING: "warning",
    Level.RISK: "warning",
    Level.INFO: "note",
}
"""SARIF knows three; `properties.level` of a result has our own."""
ROOT: Final = "%SRCROOT%"


def sarif(report: Report) -> str:
    """Return the report as a SARIF log of one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    known = report.baseline.known if report.baseline else ()
    findings = (*report.findings, *known)
    rules = list(dict.fromkeys(finding.rule for finding in findings))
    names = {finding.rule: finding.name for finding in findings}
    marks = fingerprints(findings)
    results = [
        _result(finding, mark, rules.index(finding.rule), report)
        for finding, mark in zip(findings, marks, strict=True)
    ]
    if report.baseline is not None:
        for number, result in enumerate(results):
            result["baselineState"] = _state(findings[number], number, report)
    return {
        "tool": {
            "driver": {
                "name": clean(report.tool.name, 60),
                "version": clean(report.tool.version, 60),
                "rules": [_rule(rule, names[rule]) for rule in rules],
            }
        },
        # One category a target and command, so that an upload replaces its own results alone.
        "automationDetails": {"id": f"{clean(report.command, 40)}/{clean(report.whole_target, 300)}/"},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the project."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }


def _state(finding: Finding, number: int, report: Report) -> str:
    if number >= len(report.findings):
        return "unchanged"
    return "updated" if report.baseline and finding.rule in report.baseline.worse else "new"


def _result(finding: Finding, mark: str, index: int, report: Report) -> dict[str, Any]:
    place = place_of(finding, report)
    help_text = f" {clean(finding.advice, 600)}" if finding.advice else ""
    result: dict[str, Any] = {
        "ruleId": clean(finding.rule, 20),
        "ruleIndex": index,
        "level": LEVELS[finding.level],
        "message": {"text": f"{clean(finding.message, 1000)}{help_text}".strip() or clean(finding.name, 60)},
        "partialFingerprints": {"dldoctorFinding/v1": mark},
        "properties": {
            "level": finding.level.value,
            "target": clean(report.target, 200),
            "samples": [clean(str(sample), 80) for sample in finding.samples],
            "reproduce": clean(finding.reproduce, 1000),
        },
    }
    if place is not None:
        result["locations"] = [_location(place, finding)]
    return result


def _location(place: Place, finding: Finding) -> dict[str, Any]:
    artifact = {"uri": place.uri, "uriBaseId": ROOT} if place.inside else {"uri": place.uri}
    # Code scanning wants a line; the first one stands for the file as a whole.
    physical = {"artifactLocation": artifact, "region": {"startLine": place.line or 1}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.where is not None and finding.where.symbol:
        location["logicalLocations"] = [{"fullyQualifiedName": clean(finding.where.symbol, 200)}]
    return location


def _rule(number: str, name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": clean(number, 20), "name": clean(name, 60)}
    from dldoctor import rules

    try:
        check = rules.find(number)
    except ConfigError:  # a report of another version, or with rules of others
        return rule
    page = rules.page(check)
    return {
        **rule,
        "shortDescription": {"text": rules.summary(check)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": LEVELS[check.level]},
    }


def _invocation(report: Report) -> dict[str, Any]:
    """Return how the run went; rules that did not judge are notifications, never results."""
    notes = [
        f"Not judged ({group.status}: {group.reason}): {', '.join(rule for rule, _ in group.rules)}"
        for group in not_judged(report)
    ]
    notes += [warning] if (warning := incomplete(report)) else []
    invocation: dict[str, Any] = {
        "executionSuccessful": report.complete and not report.faults,
        "toolExecutionNotifications": [{"level": "note", "message": {"text": note}} for note in notes],
    }
    try:
        started = datetime.fromisoformat(report.started_at)
    except ValueError:
        return invocation
    ended = started + timedelta(seconds=report.duration_s)
    return {**invocation, "startTimeUtc": _utc(started), "endTimeUtc": _utc(ended)}


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
