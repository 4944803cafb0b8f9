"""Times, the first batch apart, and our own cost."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.render.content.timing import TimingRow, overhead_line, timing_rows
from dldoctor.render.terminal.page import Block, Page, Paragraph, block
from dldoctor.report import Report


def section(report: Report, page: Page) -> Block | None:
    """Return the times of the run."""
    return block(page.title("Time"), _lines(report, page))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    rows = timing_rows(report)
    name_width = max((len(row.name) for row in rows), default=0)
    value_width = max((len(row.value) for row in rows), default=0)
    for row in rows:
        yield _line(page, row, name_width, value_width)
    if cost := overhead_line(report):
        yield page.line(cost, "dim")


def _line(page: Page, row: TimingRow, name_width: int, value_width: int) -> Paragraph:
    lead = Text("  ").append_text(page.text(row.name.ljust(name_width + 2)))
    lead.append_text(page.text(row.value.rjust(value_width), "bold")).append("  ")
    return Paragraph(page.text(row.detail, "dim"), lead)
