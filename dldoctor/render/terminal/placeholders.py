"""Which id stands for which media, and how many rows fit."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.render.content import placeholders as content
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("media", style="bold"),
    Column("placeholder", yields=2),
    Column("counted by", yields=1),
    Column("rows that fit", right=True),
)


def section(report: Report, page: Page) -> Block | None:
    """Return what is known of placeholders."""
    found = content.found(report)
    if found is None:
        return None
    return block(page.title("Placeholders", content.title(found)), _lines(found, page))


def _lines(found: PlaceholdersEvidence, page: Page) -> Iterator[RenderableType]:
    rows = content.stream_rows(found)
    if rows:
        yield Grid(
            page, COLUMNS, tuple(Row((one.media, one.placeholder, one.unit, one.fitting)) for one in rows)
        )
    for name, text in content.lines(found):
        yield page.labelled(name, text)
