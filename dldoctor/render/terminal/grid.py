"""A table without rules whose rows may carry notes across all columns.

rich's own table has no cell that spans columns, pads every line to its full width and wraps cells;
here a row is one line, so that a column can be read down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from dldoctor.render.terminal.page import Page, Paragraph

GAP = 2
INDENT = 2
WIDEST = 60


@dataclass(frozen=True)
class Column:
    """One column."""

    title: str
    right: bool = False
    """Numbers stand at the right."""
    yields: int = 0
    """Which columns give up width first: 2, then 1, then those of 0."""
    style: str = ""


@dataclass(frozen=True)
class Row:
    """One line of cells, and notes under it."""

    cells: tuple[str, ...]
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Grid:
    """Columns, titled, and rows."""

    page: Page
    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = field(default=())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the titles, then each row with its notes; columns without any content are left out."""
        used = [i for i in range(len(self.columns)) if any(row.cells[i] for row in self.rows)]
        columns = [self.columns[i] for i in used]
        table = [[self.page.text(row.cells[i]).plain for i in used] for row in self.rows]
        widths = self._widths(columns, table, options.max_width)
        yield self._line([column.title for column in columns], columns, widths, "dim")
        for row, cells in zip(self.rows, table, strict=True):
            yield self._line(cells, columns, widths)
            for note in row.notes:
                yield Paragraph(note, Text(" " * (INDENT + 2)))

    def _widths(self, columns: list[Column], table: list[list[str]], width: int) -> list[int]:
        widths = [
            min(max(cell_len(column.title), *(cell_len(cells[i]) for cells in table)), WIDEST)
            for i, column in enumerate(columns)
        ]
        room = max(width - INDENT - GAP * (len(columns) - 1), len(columns))
        while sum(widths) > room:
            narrowest = {2: 10, 1: 8, 0: 1}
            able = [i for i, column in enumerate(columns) if widths[i] > narrowest[column.yields]]
            gives = max(able or range(len(widths)), key=lambda i: (columns[i].yields, widths[i]))
            widths[gives] -= 1
        return widths

    def _line(self, cells: list[str], columns: list[Column], widths: list[int], style: str = "") -> Text:
        line = Text(" " * INDENT)
        for i, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
            text = Text(fitted(cell, width, "..." if self.page.ascii else "…"), style=style or column.style)
            text.align("right" if column.right else "left", width)
            line.append(" " * GAP if i else "").append_text(text)
        line.rstrip()
        return line


def fitted(cell: str, width: int, ellipsis: str) -> str:
    """Return the cell, cut at its end where it is wider than `width` columns."""
    if cell_len(cell) <= width:
        return cell
    mark = ellipsis if width > len(ellipsis) else ""
    kept = cell
    while kept and cell_len(kept) > width - len(mark):
        kept = kept[:-1]
    return kept.rstrip() + mark
