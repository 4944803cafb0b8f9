"""Lengths, image sizes and bytes: quantiles, a small histogram, and the samples at the ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from dldoctor.render.content.distributions import (
    QUANTILES,
    DistributionRow,
    constants_line,
    distribution_rows,
)
from dldoctor.render.terminal.bars import bars
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("", style="bold", yields=1),
    *(Column(name, right=True) for name in QUANTILES[1:]),  # the least value stands with its sample below
    Column("histogram"),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the distributions as one table."""
    return block(page.title("Distributions"), _lines(page, distribution_rows(report), constants_line(report)))


def _lines(page: Page, rows: Sequence[DistributionRow], constants: str) -> Iterator[RenderableType]:
    shown = page.shown(len(rows))
    if rows:
        yield Grid(page, COLUMNS, tuple(_row(page, row) for row in rows[:shown]))
    if len(rows) > shown:
        yield page.more(len(rows) - shown, "distributions")
    if constants:
        yield page.line(constants, "dim")


def _row(page: Page, row: DistributionRow) -> Row:
    drawing = bars(row.bins, 20 if page.width >= 96 else 10, page.ascii)
    ends = [
        f"smallest {row.smallest}" if row.smallest else "",
        f"largest {row.largest}" if row.largest else "",
    ]
    note = "; ".join(end for end in ends if end)
    note = f"by first sample: {note}" if note and row.of_batches else note
    notes = (page.text(note, "dim"),) if note else ()
    return Row((row.name, *row.cells[1:], drawing), notes)
