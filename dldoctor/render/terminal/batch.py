"""The first batch, and whether its shapes agree."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.batching import batching_lines
from dldoctor.render.content.previews import agreement, batch_rows, batch_title
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("field", style="bold", yields=1),
    Column("type", yields=1),
    Column("shape"),
    Column("range"),
    Column("preview", yields=2, style="dim"),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the table of the first batch and what batching did."""
    return block(page.title("The batch they become", batch_title(report)), _lines(report, page))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    rows = batch_rows(report)
    if rows:
        shown = page.shown(len(rows))
        cells = ((row.field, row.type, row.shape, row.range, row.preview) for row in rows[:shown])
        yield Grid(page, COLUMNS, tuple(Row(cell) for cell in cells))
        if len(rows) > shown:
            yield page.more(len(rows) - shown, "fields")
    for sentence in agreement(report):
        yield page.line(sentence)
    for sentence in batching_lines(report):
        yield page.line(sentence)
