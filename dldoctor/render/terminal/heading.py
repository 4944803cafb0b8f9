"""The first lines: what was run, on what, under which settings."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.render.content import heading
from dldoctor.render.terminal.page import Page, Paragraph
from dldoctor.report import Report


def section(report: Report, page: Page) -> Iterator[Paragraph]:
    """Yield the title and its context."""
    yield page.line(heading.title(report), "bold", indent=0)
    for line in heading.context(report):
        yield page.line(line, "dim", indent=0)
