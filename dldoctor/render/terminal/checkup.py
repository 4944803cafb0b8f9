"""A checkup on a terminal: the verdict, three vitals, one ranked list, and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.finding import Level
from dldoctor.render.content.vitals import verdict_line, vitals
from dldoctor.render.terminal import findings, heading, judgements, outcome, verdict
from dldoctor.render.terminal.page import LEVEL_STYLES, Page
from dldoctor.report import Report

VITAL_WIDTH = 13


def sections(report: Report, page: Page) -> Iterator[RenderableType | None]:
    """Yield all of a checkup but what was measured, which ``--verbose`` shows."""
    yield from heading.section(report, page)
    yield from top(report, page)
    yield outcome.endings(report, page)
    yield from findings.sections(report, page)
    yield judgements.unjudged_section(report, page)
    yield from verdict.section(report, page)


def top(report: Report, page: Page) -> Iterator[RenderableType]:
    """Yield the verdict and the vitals of a checkup; nothing for another command."""
    if report.command != "checkup":
        return
    worst = report.summary.worst
    style = LEVEL_STYLES[worst] if worst in (Level.ERROR, Level.WARNING, Level.RISK) else "bold"
    yield Text()
    yield page.line(verdict_line(report), style, indent=0)
    for vital in vitals(report):
        yield page.labelled(vital.name, vital.text, "" if vital.measured else "dim", width=VITAL_WIDTH)
