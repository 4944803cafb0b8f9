"""Memory of each process: a row, a line of a plot, and what is behind it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.memory import ProcessRow, lines, process_rows, title
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

_BLOCKS, _ASCII = "▁▂▃▄▅▆▇█", "_.:-=+*#"
_COLUMNS = (
    Column("process"),
    Column("private", right=True),
    Column("end", right=True),
    Column("peak", right=True),
    Column("per 1,000", right=True),
    Column("files", right=True),
    Column("", yields=2),
)


def section(report: Report, page: Page) -> Block | None:
    """Return the memory of the run."""
    return block(page.title("Memory", title(report)), _lines(report, page))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    rows = process_rows(report)
    if not rows:
        return
    shown = rows[: page.shown(len(rows))]
    yield Grid(
        page,
        _COLUMNS,
        tuple(
            Row((row.name, row.first, row.last, row.peak, row.rate, row.descriptors, row.verdict))
            for row in shown
        ),
    )
    width = max(len(row.name) for row in shown)
    bar = "!" if page.ascii else "│"
    for row in shown:
        plot = plotted(row, max(20, min(60, page.width - width - 24)), ascii_only=page.ascii, bar=bar)
        if plot:
            yield page.line(f"{row.name.ljust(width)}  {plot}  to {row.peak}", "dim")
    if len(shown) < len(rows):
        yield page.more(len(rows) - len(shown), "processes")
    for sentence in lines(report):
        yield page.line(sentence)


def plotted(row: ProcessRow, width: int, *, ascii_only: bool, bar: str) -> str:
    """Return private memory over the run in one line; a bar stands where an epoch begins."""
    heights = row.heights()
    if len(heights) < 2:
        return ""
    signs = _ASCII if ascii_only else _BLOCKS
    cells: list[float | None] = [None] * width
    for at, height in heights:
        place = min(int(at * width), width - 1)
        cells[place] = max(height, cells[place] or 0.0)
    last = heights[0][1]
    text = []
    for cell in cells:
        last = last if cell is None else cell
        text.append(signs[min(int(8 * last), 7)])
    for mark in row.marks():
        text[min(int(mark * width), width - 1)] = bar
    return "".join(text)
