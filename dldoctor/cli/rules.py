"""``dldoctor rules``: the rules that can be judged."""

from __future__ import annotations

from typing import Annotated

import typer

from dldoctor.cli import status

NoColor = Annotated[bool, typer.Option("--no-color", help="No colour; NO_COLOR works too.")]


def rules(*, no_color: NoColor = False) -> int:
    """All rules: number, name, highest level, the command that judges it, and what it finds."""
    from rich.table import Table

    from dldoctor.checks import CHECKS
    from dldoctor.cli.console import console
    from dldoctor.rules import summary

    table = Table(box=None, pad_edge=False, show_edge=False)
    for title in ("rule", "name", "level", "by"):
        table.add_column(title, no_wrap=True)
    table.add_column("finds")
    for check in CHECKS:
        table.add_row(check.rule, check.name, check.level.value, ", ".join(check.by), summary(check))
    console(no_color=no_color).print(table)
    return status.OK
