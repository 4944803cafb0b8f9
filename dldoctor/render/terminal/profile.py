"""Where the time goes: a waterfall of stages, the consumer's waits, slow samples, workers, remedies."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.render.content import profile as content
from dldoctor.render.content import waterfall
from dldoctor.render.terminal.grid import Column, Grid, Row
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

STAGE_WIDTH = 12
BAR = 20
PARTS = (("cpu", "█", "#", "green"), ("runqueue", "▒", "=", "yellow"), ("blocked", "░", "-", "blue"))


def section(report: Report, page: Page) -> Iterator[Block | None]:
    """Return the blocks of a profile, or nothing where none was made."""
    if content.found(report) is None:
        return
    yield block(page.title("Where a batch's time goes", content.title(report)), _waterfall(report, page))
    yield block(page.title("What the consumer waits for", content.wait_title(report)), _waits(report, page))
    slow = tuple(Row(cells) for cells in content.slow_rows(report))
    columns = (
        Column("sample"),
        Column("time", right=True),
        Column("most of it", yields=1),
        Column("where", yields=2),
    )
    yield block(page.title("The slowest samples"), [Grid(page, columns, slow)] if slow else [])
    rows = tuple(Row(cells) for cells in content.worker_rows(report))
    wide = (
        Column("process"), Column("batches", right=True), Column("a sample", right=True), Column("busy", right=True), Column("no core free", right=True),
    )  # fmt: skip
    yield block(page.title("Processes"), _processes(report, page, Grid(page, wide, rows)))
    tried = tuple(Row(cells) for cells in content.trial_rows(report))
    columns = (
        Column("remedy", yields=1),
        Column("now", right=True),
        Column("then", right=True),
        Column("faster"),
    )
    yield block(page.title("Remedies, tried on your data"), [Grid(page, columns, tried)] if tried else [])


def _processes(report: Report, page: Page, grid: Grid) -> Iterator[RenderableType]:
    yield grid
    for line in content.lines(report):
        yield page.line(line, "dim")


def _waterfall(report: Report, page: Page) -> Iterator[RenderableType]:
    rows = waterfall.stage_rows(report)
    shown = (
        rows
        if page.verbose
        else tuple(sorted(sorted(rows, key=lambda row: -row.fraction)[:12], key=rows.index))
    )
    time_width = max((len(row.time) for row in shown), default=0)
    for row in shown:
        line = Text("  ").append_text(page.text(row.stage.ljust(STAGE_WIDTH)))
        line.append_text(_bar(row, page))
        line.append_text(page.text(f" {row.share:>6}", "bold")).append_text(
            page.text(f"  {row.time:>{time_width}}")
        )
        room = page.width - line.cell_len - 2
        where = f"{row.place} {row.call}".strip()
        if room >= len(where):
            yield line.append_text(page.text(f"  {where}", "dim"))
        else:
            yield line
            yield page.line(where, "dim", indent=2 + STAGE_WIDTH)
    if shown:
        legend = [page.text(("#" if page.ascii else "█") + " computing  ", "green")]
        legend.append(page.text(("=" if page.ascii else "▒") + " waiting for a core  ", "yellow"))
        legend.append(page.text(("-" if page.ascii else "░") + " waiting for something else", "blue"))
        yield Text("  ").append_text(Text().join(legend))
    for name, time in waterfall.hand_over_rows(report):
        yield page.labelled(name, time, width=2 + STAGE_WIDTH)


def _bar(row: waterfall.StageRow, page: Page) -> Text:
    start = round(row.offset * BAR)
    length = max(1, round((row.offset + row.fraction) * BAR) - start)
    start = min(start, BAR - length)
    bar = Text(" " * start)
    edge, done = 0.0, 0
    for name, sign, plain, style in PARTS:
        edge += getattr(row, name)
        upto = length if name == "blocked" else min(length, round(edge * length))
        bar.append((plain if page.ascii else sign) * (upto - done), style=style)
        done = upto
    return bar.append(" " * (BAR - start - length))


def _waits(report: Report, page: Page) -> Iterator[RenderableType]:
    for what, share, fraction, free in content.wait_rows(report)[: page.shown(12)]:
        bar = ("#" if page.ascii else "█") * max(1, round(fraction * BAR))
        line = (
            Text("  ").append_text(page.text(what.ljust(24))).append_text(page.text(bar.ljust(BAR), "cyan"))
        )
        line.append_text(page.text(f" {share:>6}", "bold"))
        yield line.append_text(page.text(f"  {free}", "dim")) if free else line
