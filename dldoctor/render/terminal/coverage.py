"""Who was given which items, as a table and a small picture."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.evidence.coverage import CoverageEvidence
from dldoctor.render.content import coverage as content
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("rank", right=True, style="bold"),
    Column("epoch", right=True),
    Column("worker", right=True),
    Column("items", right=True),
    Column("batches", right=True),
    Column("distinct", right=True),
    Column("last", right=True),
    Column("dropped", right=True),
    Column("time", right=True),
    Column("first items", yields=2),
)
_SIGNS = " ░▒▓█"
_ASCII = " .:+#"


def section(report: Report, page: Page) -> Block | None:
    """Return the ranks."""
    found = content.found(report)
    if found is None:
        return None
    return block(page.title("Ranks", content.title(found)), _lines(found, page))


def _lines(found: CoverageEvidence, page: Page) -> Iterator[RenderableType]:
    rows = content.rows(found)
    shown = page.shown(len(rows))
    yield Grid(page, COLUMNS, tuple(_row(page, row) for row in rows[:shown]))
    if len(rows) > shown:
        yield page.more(len(rows) - shown, "rows")
    for sentence in content.lines(found):
        yield page.line(sentence, "dim")
    strips = content.strips(found)
    kept = strips[: page.shown(len(strips))]
    if kept:
        yield page.line("items from first to last, darker where the rank was given more of them:", "dim")
    for strip in kept:
        yield page.labelled(strip.label, f"|{shades(strip.shares, page.ascii)}|", width=20)


def _row(page: Page, row: content.CoverageRow) -> Row:
    return Row(
        (
            row.rank, row.epoch, row.worker, row.items, row.batches, row.distinct,
            row.tail if page.verbose else "", row.dropped, row.took, row.first,
        ),
        (page.text(row.note, "dim"),) if row.note else (),
    )  # fmt: skip


def shades(shares: tuple[float, ...], ascii_only: bool) -> str:
    """Return one sign a stretch; what holds anything is never blank."""
    signs = _ASCII if ascii_only else _SIGNS
    return "".join(signs[0] if not one else signs[min(4, 1 + int(one * 4))] for one in shares)
