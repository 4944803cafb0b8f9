"""``dldoctor rules``: the rules that can be judged."""

from __future__ import annotations

from typing import Annotated

import typer

from dldoctor.cli import status

WIDE = 120
"""Columns from which on a line has room for what a rule finds."""
NoColor = Annotated[bool, typer.Option("--no-color", help="No colour; NO_COLOR works too.")]


def rules(*, no_color: NoColor = False) -> int:
    """All rules: number, name, highest level, the command that judges it, and what it finds."""
    from rich.table import Table

    from dldoctor.cli.console import console
    from dldoctor.cli.streams import complain
    from dldoctor.commands import unusable
    from dldoctor.render.clean_text import clean
    from dldoctor.rules import summary
    from dldoctor.third_party import every

    shown = console(no_color=no_color)
    wide = shown.width >= WIDE
    table = Table(box=None, pad_edge=False, show_edge=False)
    for title in ("rule", "name", "level", "by"):
        table.add_column(title, no_wrap=True)
    if wide:
        table.add_column("finds")
    for check in every():
        row = (check.rule, check.name, check.level.value, ", ".join(check.by))
        table.add_row(*row, *((summary(check),) if wide else ()))
    shown.print(table)
    if not wide:
        shown.print(
            "\n`dldoctor explain RULE` says what a rule finds; so does this list on a wider terminal."
        )
    for lost in unusable():
        complain(f"not judged: {clean(lost.name, 60)}: {clean(lost.reason, 400)}")
    return status.OK
