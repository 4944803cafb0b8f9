"""The sweep on a terminal: four numbers, a heat map, and the line to paste."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.render.content import sweep as content
from dldoctor.render.content import sweep_map
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, Paragraph, block
from dldoctor.report import Report

_SHADES = " ░▒▓█"
_ASCII = " .:*#"
_MARKS = {"recommended": ">", "current": "=", "refused": "", "": ""}


def section(report: Report, page: Page) -> Iterator[Block | None]:
    """Yield the blocks of a sweep."""
    sweep = content.found(report)
    if sweep is None:
        return
    yield block(page.title("Rates", "batches per second"), _rates(sweep, page))
    if len(sweep.points) > 1:
        yield block(
            page.title("Surface", "batches per second; columns are workers, rows prefetch factors"),
            _surface(sweep, page),
        )
    yield block(page.title("Measured"), [_table(sweep, page)]) if content.point_rows(sweep) else None
    yield block(page.title("How to read this"), (page.line(one, "dim") for one in content.notes(sweep)))
    yield block(page.title("Answer"), _answer(sweep, page))


def _rates(sweep: SweepEvidence, page: Page) -> Iterator[RenderableType]:
    rows = content.rate_rows(sweep)
    names, values = max(len(r.name) for r in rows), max(len(r.value) for r in rows)
    for row in rows:
        lead = Text("  ").append_text(page.text(row.name.ljust(names + 2)))
        lead.append_text(page.text(row.value.rjust(values), "bold")).append("  ")
        yield Paragraph(page.text(row.detail, "dim"), lead)


def _surface(sweep: SweepEvidence, page: Page) -> Iterator[RenderableType]:
    found = sweep_map.heat_map(sweep)
    cells = found.cells.values()
    width = max([len(cell.text) for cell in cells] + [3]) + 3
    shown = max(1, (page.width - 6) // (width + 1))
    for start in range(0, len(found.workers), shown):
        columns = found.workers[start : start + shown]
        yield page.line("    " + " ".join(str(w).rjust(width) for w in columns), "dim")
        for prefetch in found.prefetches:
            line = Text(f"  {prefetch or '-':>3} ")
            for workers in columns:
                line.append_text(_cell(found.cells.get((workers, prefetch)), width, page)).append(" ")
            line.rstrip()
            yield line
    yield page.line(
        "shade: share of the best rate; > recommended, = current, * measured, x does not fit", "dim"
    )
    for sentence in content.regions(sweep):
        yield page.line(sentence, "dim")


def _cell(cell: sweep_map.Cell | None, width: int, page: Page) -> Text:
    if cell is None:
        return Text(" " * width)
    shades = _ASCII if page.ascii else _SHADES
    shade = (
        " "
        if cell.mark == "refused"
        else shades[min(len(shades) - 1, int(cell.level * (len(shades) - 0.01)))]
    )
    text = f"{_MARKS[cell.mark]}{cell.text}{'*' if cell.measured else ''}"
    style = {"recommended": "bold green", "current": "bold", "refused": "dim"}.get(cell.mark, "")
    return Text(shade, style="dim").append(text.rjust(width - 1), style=style)


def _table(sweep: SweepEvidence, page: Page) -> Grid:
    columns = (
        Column("workers", right=True),
        Column("prefetch", right=True),
        Column("predicted (90%)", yields=1),
        Column("measured", right=True, style="bold"),
        Column("waits", right=True),
        Column("GPU", right=True),
        Column("memory", right=True),
        Column("does not fit", yields=2),
    )
    rows = content.point_rows(sweep)
    return Grid(page, columns, tuple(Row(row) for row in rows[: page.shown(len(rows))]))


def _answer(sweep: SweepEvidence, page: Page) -> Iterator[RenderableType]:
    if pasted := content.line_to_paste(sweep):
        yield page.line(pasted, "bold green" if sweep.verdict == "change" else "bold")
    yield page.line(content.answer(sweep))
