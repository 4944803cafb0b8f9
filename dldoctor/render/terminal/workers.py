"""What the experiments on workers compared, and how each came out."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.workers import draw_rows, experiment_rows
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

DRAWS = (
    Column("drawn", style="bold", yields=1),
    Column("different", right=True),
    Column("between workers"),
    Column("between epochs"),
    Column("first values", yields=2, style="dim"),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the experiments, and what was drawn at random."""
    return block(page.title("Experiments"), _lines(report, page))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    rows = experiment_rows(report)
    for row in rows:
        yield page.labelled(row.name, f"{row.compared}: {row.outcome}", width=18)
    draws = draw_rows(report)
    if draws:
        shown = page.shown(len(draws))
        cells = ((one.name, one.varies, one.workers, one.epochs, one.first) for one in draws[:shown])
        yield Grid(page, DRAWS, tuple(Row(cell) for cell in cells))
        if len(draws) > shown:
            yield page.more(len(draws) - shown, "fields")
