"""Token rows, each token in the colour of what it is to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.evidence.distribution import Bin
from dldoctor.render.content import labels as content
from dldoctor.render.content.labels import RowView
from dldoctor.render.content.token_sums import sum_lines
from dldoctor.render.terminal.bars import bars
from dldoctor.render.terminal.page import Block, Page, Paragraph, block
from dldoctor.report import Report

STYLES = {
    "trained": "bold green",
    "ignored": "",
    "special": "cyan",
    "placeholder": "magenta",
    "padding": "dim",
}
"""Standard colours; without any, brackets stand around what is learned."""
ROWS_SHOWN = 4
LABEL_WIDTH = 14


def section(report: Report, page: Page) -> Block | None:
    """Return sums and rows of the token batches."""
    labels = content.found(report)
    if labels is None:
        return None
    return block(page.title("Labels", content.title(labels)), _lines(report, page))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    labels = content.found(report)
    assert labels is not None
    for label, text in (
        *content.field_lines(labels),
        *sum_lines(labels),
        *content.source_lines(labels),
        *content.class_lines(labels),
    ):
        yield page.labelled(label, text, width=LABEL_WIDTH)
    if labels.by_position and any(labels.by_position):
        tenths = tuple(Bin(at, at + 1, round(1000 * one)) for at, one in enumerate(labels.by_position))
        drawn = bars(tenths, 10, page.ascii)
        yield page.labelled(
            "by position",
            f"{drawn}  trained share from the first tenth of the rows to the last",
            width=LABEL_WIDTH,
        )
    views = content.row_views(labels)
    shown = views if page.verbose else views[:ROWS_SHOWN]
    if shown:
        yield _legend(page)
    for view in shown:
        yield from _row(page, view)
    if len(views) > len(shown):
        yield page.more(len(views) - len(shown), "rows")


def _legend(page: Page) -> Paragraph:
    text = Text()
    for role, meaning in content.ROLES.items():
        word = f"[{role}]" if role == "trained" else role
        text.append_text(page.text(word, STYLES[role])).append_text(page.text(f": {meaning}  ", "dim"))
    return Paragraph(text, page.text("  "))


def _visible(text: str) -> str:
    return text.strip() or repr(text)


def _row(page: Page, view: RowView) -> Iterator[RenderableType]:
    odd = f": {'; '.join(view.odd)}" if view.odd else ""
    yield page.line(f"{view.title}{odd}", "bold")
    text, learned = Text(), False
    for cell in view.cells:
        opens = cell.role == "trained" and not learned
        closes = learned and cell.role != "trained"
        text.append("] " if closes else "")
        text.append_text(page.text("… ", "dim") if cell.gap else Text())
        text.append_text(page.text("| ", "bold yellow") if cell.starts else Text())
        text.append("[" if opens else "")
        learned = cell.role == "trained"
        aim = f"→{_visible(cell.aim)}" if cell.aim else ""
        text.append_text(page.text(_visible(cell.text) + aim, STYLES[cell.role])).append(" ")
    text.rstrip()
    text.append("]" if learned else "")
    yield Paragraph(text, page.text("    "))
    for sentence in view.shift:
        yield page.line(sentence, "dim", indent=4)
