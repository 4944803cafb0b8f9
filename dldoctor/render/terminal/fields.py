"""Statistics of each field of the samples; of the batches where they say something new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from dldoctor.render.content.fields import FieldRow, field_rows, roles_line
from dldoctor.render.numbers import counted
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

COLUMNS = (
    Column("field", style="bold", yields=1),
    Column("type", yields=1),
    Column("seen", right=True),
    Column("shape"),
    Column("min", right=True),
    Column("max", right=True),
    Column("mean", right=True),
    Column("std", right=True),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the fields of the samples."""
    samples = report.evidence.samples
    rest = (
        f"over {counted(samples.read, 'sample')}; mean and std from a part of the values" if samples else ""
    )
    rows = field_rows(report.evidence.sample_fields)
    return block(page.title("Fields of the samples", rest), _lines(page, rows, roles_line(report)))


def batch_section(report: Report, page: Page) -> Block | None:
    """Return the fields of the batches: all with ``--verbose``, else those that hold a trouble."""
    rows = field_rows(report.evidence.batch_fields)
    odd = tuple(row for row in rows if row.troubles)
    title = "Fields of the batches" if page.verbose else "Fields of the batches that stand out"
    return block(page.title(title), _lines(page, rows if page.verbose else odd, ""))


def _lines(page: Page, rows: Sequence[FieldRow], roles: str) -> Iterator[RenderableType]:
    if not rows:
        return
    # What is odd must not be among the rows that are left out.
    shown = page.shown(len(rows))
    kept = set(sorted(range(len(rows)), key=lambda i: (not rows[i].troubles, i))[:shown])
    yield Grid(page, COLUMNS, tuple(_row(page, rows[i]) for i in sorted(kept)))
    if len(rows) > shown:
        yield page.more(len(rows) - shown, "fields")
    if roles:
        yield page.line(roles, "dim")


def _row(page: Page, row: FieldRow) -> Row:
    quantiles = (row.quantiles,) if page.verbose and row.quantiles else ()
    quiet = "; ".join((*row.notes, *quantiles))
    notes = [page.text(trouble) for trouble in row.troubles]
    if quiet:
        notes.append(page.text(quiet, "dim"))
    return Row(
        (row.path, row.type, row.seen, row.shapes, row.min, row.max, row.mean, row.std),
        tuple(notes),
    )
