"""The report on a terminal: details first, findings and the verdict last, where the eye is."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from dldoctor.render.terminal import (
    alignment,
    batch,
    checkup,
    coverage,
    distributions,
    environment,
    failures,
    fields,
    findings,
    heading,
    judgements,
    labels,
    memory,
    outcome,
    placeholders,
    profile,
    rows,
    samples,
    splits,
    sweep,
    timing,
    values,
    verdict,
    workers,
)
from dldoctor.render.terminal.page import Page
from dldoctor.report import Report

PLAIN_WIDTH = 80


def view(report: Report, *, verbose: bool = False) -> RenderableType:
    """Return the report for any console: it fits the width, the encoding and the colours there."""
    return _View(report, verbose)


def plain(report: Report) -> str:
    """Return the view as text of 80 columns without colour."""
    out = io.StringIO()
    console = Console(
        file=out, width=PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False
    )
    console.print(view(report))
    return out.getvalue()


@dataclass(frozen=True)
class _View:
    report: Report
    verbose: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        page = Page(options.max_width, options.ascii_only, self.verbose)
        for part in _sections(self.report, page):
            if part is not None:
                yield part


def _sections(report: Report, page: Page) -> Iterator[RenderableType | None]:
    if report.command == "checkup" and not page.verbose:
        yield from checkup.sections(report, page)
        return
    yield from heading.section(report, page)
    yield from checkup.top(report, page)
    if report.evidence.splits is not None:
        yield splits.section(report, page)
        yield judgements.unjudged_section(report, page)
        yield from findings.sections(report, page)
        yield from verdict.section(report, page)
        return
    # A sweep looks at the batches only to judge what is not a matter of speed.
    if report.command != "sweep" or page.verbose:
        yield samples.section(report, page)
        yield batch.section(report, page)
        yield fields.section(report, page)
        yield fields.batch_section(report, page)
        yield distributions.section(report, page)
        yield values.section(report, page)
        yield labels.section(report, page)
        yield alignment.section(report, page)
        yield placeholders.section(report, page)
        yield rows.section(report, page)
    yield timing.section(report, page)
    yield workers.section(report, page)
    yield failures.section(report, page)
    yield from profile.section(report, page)
    yield from sweep.section(report, page)
    yield memory.section(report, page)
    yield environment.section(report, page)
    yield coverage.section(report, page)
    yield outcome.section(report, page)
    yield judgements.clean_section(report, page)
    yield judgements.unjudged_section(report, page)
    yield from findings.sections(report, page)
    yield from verdict.section(report, page)
