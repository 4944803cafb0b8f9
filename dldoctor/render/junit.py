"""JUnit XML: one test case a rule, which passed, failed or was skipped with its reason."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dldoctor.finding import Finding, Judgement
from dldoctor.render.clean_text import clean
from dldoctor.render.content.findings import card
from dldoctor.render.content.judgements import STATUS_WORDS
from dldoctor.render.content.verdict import incomplete
from dldoctor.render.project import place_of
from dldoctor.report import Report

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def junit(report: Report) -> str:
    """Return the report as one suite. A failure is a finding of the level that fails the run."""
    found = defaultdict[str, list[Finding]](list)
    for finding in report.findings:
        found[finding.rule].append(finding)
    listed = {check.rule for check in report.checks}
    loose = [Judgement(rule, own[0].name, "finding") for rule, own in found.items() if rule not in listed]
    suite = Element(
        "testsuite", name=_text(f"{report.tool.name} {report.command} {report.whole_target}", 300)
    )
    for check in (*report.checks, *loose):
        _case(suite, check, found[check.rule], report)
    if warning := incomplete(report):
        case = SubElement(suite, "testcase", classname=_group(report), name="the run was complete", time="0")
        kind = "fault-of-dldoctor" if report.complete else "interrupted"
        SubElement(case, "error", message=_text(warning), type=kind)
    counts = {
        "tests": len(suite),
        "failures": len(suite.findall("testcase/failure/..")),
        "errors": len(suite.findall("testcase/error/..")),
        "skipped": len(suite.findall("testcase/skipped/..")),
    }
    suites = Element("testsuites", name=_text(report.tool.name), time=f"{report.duration_s:.3f}")
    for name, number in counts.items():
        suite.set(name, str(number))
        suites.set(name, str(number))
    suite.set("time", f"{report.duration_s:.3f}")
    suite.set("timestamp", _text(report.started_at.removesuffix("Z")))
    suites.append(suite)
    indent(suites)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{tostring(suites, encoding='unicode')}\n"


def _case(suite: Element, check: Judgement, findings: list[Finding], report: Report) -> None:
    case = SubElement(
        suite, "testcase", classname=_group(report), name=_text(f"{check.rule} {check.name}", 100), time="0"
    )
    place = place_of(findings[0], report) if findings else None
    if place is not None:
        case.set("file", _text(place.path, 300))
        case.set("line", str(place.line or 1))
    if check.status in STATUS_WORDS:
        SubElement(case, "skipped", message=_text(f"{STATUS_WORDS[check.status]}: {check.reason}", 500))
    quiet = []
    for finding in findings:
        if report.fails(finding):
            failure = SubElement(case, "failure", type=finding.level.value)
            failure.set("message", _text(finding.message, 1000))
            failure.text = _body(finding)
        else:
            quiet.append(_body(finding))
    if report.baseline is not None:
        quiet += [
            f"known from the baseline\n{_body(one)}"
            for one in report.baseline.known
            if one.rule == check.rule
        ]
    if quiet:
        SubElement(case, "system-out").text = "\n\n".join(quiet)


def _body(finding: Finding) -> str:
    shown = card(finding)
    rows = (
        ("help", shown.advice),
        ("where", shown.where),
        ("samples", shown.samples),
        ("repeat", shown.reproduce),
    )
    lines = [f"{shown.level.value} {shown.rule} {shown.name}", shown.message]
    lines += [f"{label}: {text}" for label, text in rows if text]
    return "\n".join(_NO_XML.sub("\ufffd", line) for line in lines)


def _group(report: Report) -> str:
    return _text(f"{report.tool.name}.{report.command}", 100)


def _text(text: str, limit: int | None = None) -> str:
    return _NO_XML.sub("\ufffd", clean(text, limit))
