"""Where the report goes, and how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

_OUTPUT = "Output"


@dataclass(frozen=True)
class OutputGroup:
    """Files, formats and how much is said."""

    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output", "-o", metavar="PATH", rich_help_panel=_OUTPUT,
            help="Write the report there, in the format that the extension says; - is standard output. "
            "With several targets, a folder, or {target} in the name. Repeatable.",
        ),
    ] = None  # fmt: skip
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", rich_help_panel=_OUTPUT,
            help="Format for standard output, or for -o whatever the extension says.",
        ),
    ] = None  # fmt: skip
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.", rich_help_panel=_OUTPUT)] = (
        False
    )
    no_color: Annotated[
        bool, typer.Option("--no-color", help="No colour; NO_COLOR works too.", rich_help_panel=_OUTPUT)
    ] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show all that was measured.", rich_help_panel=_OUTPUT)
    ] = False
