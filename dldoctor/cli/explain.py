"""``dldoctor explain``: what a rule means, why it hurts, how to cure it."""

from __future__ import annotations

from typing import Annotated

import typer

from dldoctor.cli import status
from dldoctor.cli.rules import NoColor

RuleArgument = Annotated[str, typer.Argument(metavar="RULE", help="A number or a name, in any case.")]


def explain(rule: RuleArgument, *, no_color: NoColor = False) -> int:
    """What a rule means, why it hurts, how to cure it, and when it is wrong."""
    from rich.markdown import Markdown

    from dldoctor.cli.console import console
    from dldoctor.rules import find, page

    console(no_color=no_color).print(Markdown(page(find(rule))))
    return status.OK
