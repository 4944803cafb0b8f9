"""Which fields could be traced to samples, and what else was compared."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.render.content import alignment as content
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("field", style="bold", yields=1),
    Column("rows traced", right=True),
    Column("to their samples", yields=2),
)


def section(report: Report, page: Page) -> Block | None:
    """Return what belongs together, as far as it could be seen."""
    found = content.found(report)
    if found is None:
        return None
    return block(page.title("Alignment", content.title(found)), _lines(found, page))


def _lines(found: AlignmentEvidence, page: Page) -> Iterator[RenderableType]:
    rows = content.field_rows(found)
    if rows:
        shown = page.shown(len(rows))
        yield Grid(page, COLUMNS, tuple(Row((one.name, one.traced, one.how)) for one in rows[:shown]))
        if len(rows) > shown:
            yield page.more(len(rows) - shown, "fields")
    for name, text in content.lines(found):
        yield page.labelled(name, text)
