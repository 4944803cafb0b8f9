"""Two reports side by side: what came up, what went away, what the noise hides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from dldoctor.compare import Change, Comparison
from dldoctor.finding import Finding
from dldoctor.render.clean_text import clean
from dldoctor.render.content.findings import card
from dldoctor.render.numbers import counted
from dldoctor.render.terminal.page import LEVEL_STYLES, Page, Paragraph, block
from dldoctor.report import Report


def comparison_view(comparison: Comparison, *, verbose: bool = False) -> RenderableType:
    """Return the comparison for any console; what is the same is listed only where it is asked for."""
    return _View(comparison, verbose)


@dataclass(frozen=True)
class _View:
    comparison: Comparison
    verbose: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        page = Page(options.max_width, options.ascii_only, self.verbose)
        found = self.comparison
        yield page.labelled("before", _source(found.before))
        yield page.labelled("after", _source(found.after))
        if other := _unlike(found):
            yield page.labelled("note", other)
        for title, items in _sections(found, self.verbose):
            lines = (line for item in items for line in _lines(page, item))
            if part := block(page.title(title, str(len(items))), lines):
                yield part
        yield Text()
        yield page.line(summary(found), "bold", indent=0)


def summary(found: Comparison) -> str:
    """Return the counts in one line."""
    parts = [
        (len(found.new), "new"),
        (len(found.first), "judged for the first time"),
        (len(found.worse), "worse"),
        (len(found.milder), "milder"),
        (len(found.gone), "gone"),
        (len(found.noise), "within the noise"),
        (len(found.unjudged), "not judged again"),
        (len(found.same), "the same"),
    ]
    return ", ".join(f"{number:,} {what}" for number, what in parts if number) or "no finding in either"


def _unlike(found: Comparison) -> str:
    """Return what the two runs do not have in common, and what follows from that."""
    parts = [
        what
        for what, one, two in (
            ("command", found.before.command, found.after.command),
            ("target", found.before.target, found.after.target),
            ("version of dldoctor", found.before.tool.version, found.after.tool.version),
            ("declarations", found.before.declared, found.after.declared),
        )
        if one != two
    ]
    return f"not of the same {' and '.join(parts)}, which may explain differences" if parts else ""


def _source(report: Report) -> str:
    cut = "" if report.complete else ", incomplete"
    return (
        f"{clean(report.command, 40)} {clean(report.target, 200)}, {clean(report.started_at, 40)}: "
        f"{counted(len(report.findings), 'finding')}{cut}"
    )


def _sections(found: Comparison, verbose: bool) -> Iterator[tuple[str, tuple[Finding | Change, ...]]]:
    if verbose:
        yield "The same", found.same
    yield "Not judged again: whether it is gone is not known", found.unjudged
    yield "Within the noise: the interval of one holds the value of the other", found.noise
    yield "Gone", found.gone
    yield "Milder", found.milder
    yield "Worse", found.worse
    yield "Judged for the first time: whether it is new is not known", found.first
    yield "New", found.new


def _lines(page: Page, item: Finding | Change) -> Iterator[Paragraph]:
    after = item.after if isinstance(item, Change) else item
    shown = card(after)
    lead = Text("  ").append_text(page.text(shown.level.value.ljust(9), LEVEL_STYLES[shown.level]))
    was = (
        f" (was {item.before.level.value})"
        if isinstance(item, Change) and item.before.level is not after.level
        else ""
    )
    yield Paragraph(
        page.text(f"{shown.rule} {shown.name}{was}{f'  {shown.where}' if shown.where else ''}"), lead
    )
    yield page.line(shown.message, indent=11)
    if isinstance(item, Change) and item.before.message != after.message:
        yield page.line(f"before: {card(item.before).message}", "dim", indent=11)
