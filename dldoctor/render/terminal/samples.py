"""The first samples, field by field."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.previews import PreviewRow, own_ids, sample_rows
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("field", style="bold", yields=1),
    Column("type", yields=1),
    Column("sample", right=True),
    Column("shape"),
    Column("range"),
    Column("preview", yields=2, style="dim"),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the table of the first samples."""
    first = report.evidence.samples.first if report.evidence.samples else ()
    rows = sample_rows(report)
    if not rows or not first:
        return None
    title = "First sample" if len(first) == 1 else f"First {len(first)} samples"
    return block(page.title(title), _lines(report, page, rows))


def _lines(report: Report, page: Page, rows: tuple[PreviewRow, ...]) -> Iterator[RenderableType]:
    paths = list(dict.fromkeys(row.field for row in rows))
    kept = set(paths[: page.shown(len(paths))])
    yield Grid(page, COLUMNS, tuple(_row(row) for row in rows if row.field in kept))
    if len(paths) > len(kept):
        yield page.more(len(paths) - len(kept), "fields")
    if ids := own_ids(report):
        yield page.line(ids, "dim")


def _row(row: PreviewRow) -> Row:
    named = ("", "") if row.repeated else (row.field, row.type)
    return Row((*named, row.sample, row.shape, row.range, row.preview))
