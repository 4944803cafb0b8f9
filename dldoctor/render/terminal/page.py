"""What the sections of the terminal view share: width, signs, styles and wrapped lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from dldoctor.finding import Level
from dldoctor.render.clean_text import fold_to_ascii

LEVEL_STYLES = {
    Level.ERROR: "bold red",
    Level.WARNING: "bold yellow",
    Level.RISK: "bold magenta",
    Level.INFO: "bold cyan",
}
"""Standard ANSI colours only: the user's theme makes them fit a light or a dark ground. The word of
the level always stands beside its colour."""

LABEL_WIDTH = 11

ROWS_SHOWN = 12
"""Rows of a table without ``--verbose``."""


@dataclass(frozen=True)
class Page:
    """How the report is shown; every text of a section is made by it."""

    width: int
    ascii: bool = False
    """The output can show nothing but ASCII."""
    verbose: bool = False

    def text(self, text: str, style: str = "") -> Text:
        """Return `text` as it can be shown; markup in it is never interpreted."""
        return Text(fold_to_ascii(text) if self.ascii else text, style=style)

    def title(self, text: str, rest: str = "") -> Text:
        """Return the heading of a section."""
        heading = Text().append_text(self.text(text, "bold"))
        return heading.append_text(self.text(f"  {rest}", "dim")) if rest else heading

    def line(self, text: str, style: str = "", indent: int = 2) -> Paragraph:
        """Return a line that wraps under its own beginning."""
        return Paragraph(self.text(text, style), Text(" " * indent))

    def labelled(self, label: str, text: str, style: str = "", width: int = LABEL_WIDTH) -> Paragraph:
        """Return a line with a label before it, that wraps beside the label."""
        return Paragraph(self.text(text, style), self.text(f"  {label}".ljust(width), "dim"))

    def more(self, left_out: int, noun: str) -> Paragraph:
        """Return the line that says what the table left out."""
        return self.line(f"and {left_out:,} more {noun} (--verbose)", "dim")

    def shown(self, rows: int) -> int:
        """Return how many of `rows` rows are shown; one more is not worth a line that says so."""
        return rows if self.verbose or rows <= ROWS_SHOWN + 1 else ROWS_SHOWN


@dataclass(frozen=True)
class Paragraph:
    """Text wrapped beside its lead, without trailing blanks."""

    text: Text
    lead: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        before = self.lead
        width = max(options.max_width - before.cell_len, 8)
        for line in self.text.wrap(console, width, overflow="fold") or [Text()]:
            whole = Text().append_text(before).append_text(line)  # the style of the lead is its own
            whole.rstrip()
            yield whole
            before = Text(" " * self.lead.cell_len)


@dataclass(frozen=True)
class Block:
    """Lines under a heading."""

    heading: Text
    lines: tuple[RenderableType, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield an empty line, the heading, the lines."""
        yield Text()
        yield Paragraph(self.heading, Text())
        yield from self.lines


def block(heading: Text, lines: Iterable[RenderableType]) -> Block | None:
    """Return a block, or nothing where it would have no line."""
    found = tuple(lines)
    return Block(heading, found) if found else None
