"""The machine, row by row."""

from __future__ import annotations

from dldoctor.render.content.environment import environment_rows
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report


def section(report: Report, page: Page) -> Block | None:
    """Return the machine that was measured."""
    return block(
        page.title("Machine"), (page.labelled(name, text) for name, text in environment_rows(report))
    )
