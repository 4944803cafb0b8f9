"""Two loaders side by side."""

from __future__ import annotations

from rich.console import RenderableType

from dldoctor.render.content import splits
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report


def section(report: Report, page: Page) -> Block | None:
    """Return the table; nothing where one loader was examined."""
    found = splits.found(report)
    if found is None:
        return None
    first, second = splits.titles(found)
    rows = tuple(Row((one.name, one.first, one.second, one.apart)) for one in splits.rows(found))
    columns = (Column(""), Column(first, yields=1), Column(second, yields=1), Column(""))
    lines: list[RenderableType] = [Grid(page, columns, rows)]
    return block(page.title("Side by side"), lines)
