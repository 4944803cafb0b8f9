"""Deaths and hangs with their stacks, what was cut short, and what the user's code printed."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.outcome import OutcomeRow, cut_lines, outcome_rows, printed_lines
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

FRAMES_SHOWN = 4
PRINTED_SHOWN = 40


def section(report: Report, page: Page) -> Block | None:
    """Return how the run went, where it did not simply go well."""
    return block(page.title("How the run went"), _lines(report, page))


def endings(report: Report, page: Page) -> Block | None:
    """Return deaths and hangs alone."""
    rows = outcome_rows(report)
    return block(page.title("How the run went"), (line for row in rows for line in _ending(page, row)))


def _lines(report: Report, page: Page) -> Iterator[RenderableType]:
    for sentence in cut_lines(report):
        yield page.line(sentence)
    for row in outcome_rows(report):
        yield from _ending(page, row)
    said, printed = printed_lines(report)
    if said:
        yield page.line(said if page.verbose or not printed else f"{said} (--verbose shows the last)", "dim")
    if page.verbose:
        for line in printed[-PRINTED_SHOWN:]:
            yield page.labelled("|", line, width=4)


def _ending(page: Page, row: OutcomeRow) -> Iterator[RenderableType]:
    yield page.line(row.sentence, "bold")
    for stack in row.stacks:
        yield page.line(stack.title, indent=4)
        shown = len(stack.frames) if page.verbose else FRAMES_SHOWN
        for frame in stack.frames[:shown]:
            yield page.line(frame, "dim", indent=6)
        if len(stack.frames) > shown:
            yield page.line(f"and {len(stack.frames) - shown} more frames (--verbose)", "dim", indent=6)
    for line in row.stderr:
        yield page.labelled("  |", line, "dim", width=6)
