"""The last line, which is what one sees when the command ends."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.render.content import verdict
from dldoctor.render.terminal.page import LEVEL_STYLES, Page, Paragraph
from dldoctor.report import Report


def section(report: Report, page: Page) -> Iterator[RenderableType]:
    """Yield whether the run was complete, then the counts."""
    yield Text()
    if warning := verdict.incomplete(report):
        yield page.line(warning, "bold", indent=0)
    line = Text()
    counts = verdict.level_counts(report)
    for i, (level, text) in enumerate(counts):
        line.append(", " if i else "").append_text(page.text(text, LEVEL_STYLES[level]))
    if not counts:
        line.append_text(page.text(verdict.headline(report), "bold"))
    if known := verdict.known(report):
        line.append_text(page.text(f"; {known}"))
    if scope := verdict.scope(report):
        line.append_text(page.text(f" ({scope})"))
    yield Paragraph(line, Text())
