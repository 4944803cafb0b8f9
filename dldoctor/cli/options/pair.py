"""Which of two targets is what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from dldoctor.intent import Role

_PAIR = "Two targets"


@dataclass(frozen=True)
class PairGroup:
    """What holds for one of the two; other options hold for both."""

    role_a: Annotated[
        Role | None, typer.Option(help="What A feeds; without it, train.", rich_help_panel=_PAIR)
    ] = None
    role_b: Annotated[
        Role | None, typer.Option(help="What B feeds; without it, eval.", rich_help_panel=_PAIR)
    ] = None
    loader_a: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which loader of A.", rich_help_panel=_PAIR)
    ] = None
    loader_b: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which loader of B.", rich_help_panel=_PAIR)
    ] = None
