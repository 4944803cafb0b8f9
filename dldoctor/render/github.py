"""GitHub: annotations on the lines of the user's code, as workflow commands."""

from __future__ import annotations

from typing import Final

from dldoctor.finding import Finding, Level
from dldoctor.render.clean_text import clean
from dldoctor.render.content.vitals import verdict_line
from dldoctor.render.project import place_of
from dldoctor.report import Report

COMMANDS: Final = {
    Level.ERROR: "error",
    Level.WARNING: "warning",
    Level.RISK: "warning",
    Level.INFO: "notice",
}


def github(report: Report) -> str:
    """Return one annotation a finding, and a last one with the verdict where there is none."""
    if not report.findings:
        return f"::notice title={_property(_title(report))}::{_message(verdict_line(report))}\n"
    return "".join(f"{_annotation(finding, report)}\n" for finding in report.findings)


def _annotation(finding: Finding, report: Report) -> str:
    place = place_of(finding, report)
    properties = {"title": f"{clean(finding.rule, 20)} {clean(finding.name, 60)}"}
    if place is not None and place.inside:  # GitHub knows no file outside of the repository
        properties = {"file": place.path, "line": str(place.line or 1), **properties}
    head = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    advice = f"\n{clean(finding.advice, 600)}" if finding.advice else ""
    repeat = f"\n{clean(finding.reproduce, 1000)}" if finding.reproduce else ""
    return f"::{COMMANDS[finding.level]} {head}::{_message(clean(finding.message, 1000) + advice + repeat)}"


def _title(report: Report) -> str:
    return f"{report.tool.name} {report.command} {clean(report.whole_target, 300)}"


def _message(text: str) -> str:
    """Return text with what would end a command escaped, as GitHub's own toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(clean(text)).replace(":", "%3A").replace(",", "%2C")
