"""Label and modality counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from dldoctor.render.content.values import ValueCounts, value_counts
from dldoctor.render.numbers import counted
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

VALUES_SHOWN = 8

COLUMNS = (
    Column("value", yields=1),
    Column("samples", right=True),
    Column("share", right=True),
    Column("", style="dim"),
    Column("examples", style="dim", yields=2),
)


def section(report: Report, page: Page) -> Block | None:
    """Return one line a field, or with ``--verbose`` one line a value."""
    found = value_counts(report)
    return block(page.title("Counts"), _tables(page, found) if page.verbose else _short(page, found))


def _short(page: Page, found: Sequence[ValueCounts]) -> Iterator[RenderableType]:
    for counts in found:
        kept = counts.values if len(counts.values) <= VALUES_SHOWN + 2 else counts.values[:VALUES_SHOWN]
        shown = [f"{item.value} ({item.count}, {item.share})" for item in kept]
        rest = len(counts.values) - len(kept) + counts.left_out
        last = counts.values[-1]
        least = (
            f", the least {last.value} ({last.count}, {last.share})" if rest and not counts.left_out else ""
        )
        more = f" and {rest:,} more" if rest else ""
        yield page.line(f"{counts.title}: {', '.join(shown)}{more}{least}")


def _tables(page: Page, found: Sequence[ValueCounts]) -> Iterator[RenderableType]:
    for counts in found:
        yield page.line(counts.title)
        full = "#" if page.ascii else "█"
        rows = (
            Row((v.value, v.count, v.share, full * max(round(20 * v.fraction), 1), v.examples))
            for v in counts.values
        )
        yield Grid(page, COLUMNS, tuple(rows))
        if counts.left_out:
            yield page.line(
                f"and {counted(counts.left_out, 'value')} more that the report does not hold", "dim"
            )
