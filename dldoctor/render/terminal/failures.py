"""Exceptions of the user's code."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.failures import FailureRow, failure_rows
from dldoctor.render.numbers import count
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report


def section(report: Report, page: Page) -> Block | None:
    """Return the failures by kind."""
    rows = failure_rows(report)
    total = sum(row.count for row in rows)
    kinds = f"{count(total)} in all, of {len(rows)} kinds" if len(rows) > 1 else ""
    return block(page.title("Failures", kinds), _lines(page, rows))


def _lines(page: Page, rows: tuple[FailureRow, ...]) -> Iterator[RenderableType]:
    shown = page.shown(len(rows))
    for row in rows[:shown]:
        yield page.line(row.error, "bold")
        yield page.line(row.times, indent=4)
        if row.samples:
            yield page.line(row.samples, "dim", indent=4)
        if row.culprit:
            yield page.line(row.culprit, indent=4)
    if len(rows) > shown:
        yield page.more(len(rows) - shown, "kinds of failure")
