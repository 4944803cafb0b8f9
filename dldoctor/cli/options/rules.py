"""Which rules count, and from which level on the run fails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from dldoctor.finding import FailOn

_RULES = "Rules and config"


@dataclass(frozen=True)
class RuleGroup:
    """Rules to judge, and the config file."""

    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULES", rich_help_panel=_RULES,
            help="Only these: numbers, names or prefixes such as DL3, comma-separated. Repeatable.",
        ),
    ] = None  # fmt: skip
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="RULES", help="All but these. Repeatable.", rich_help_panel=_RULES),
    ] = None
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="Exit with 1 if a finding is of this level or worse; without it, error.",
            rich_help_panel=_RULES,
        ),
    ] = None
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="REPORT.json", rich_help_panel=_RULES,
            help="An earlier report: only what is new counts. With several targets, a folder, or {target} in "
            "the name.",
        ),
    ] = None  # fmt: skip
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", rich_help_panel=_RULES,
            help="Config file; without it the nearest dldoctor.toml or pyproject.toml, upward.",
        ),
    ] = None  # fmt: skip

    def given(self) -> dict[str, Any]:
        """Return the fields of `dldoctor.config.Settings` that were given."""
        named = {
            "select": _split(self.select),
            "ignore": _split(self.ignore),
            "fail_on": self.fail_on,
        }
        return {name: value for name, value in named.items() if value}


def _split(texts: list[str] | None) -> tuple[str, ...]:
    """Return the parts of comma-separated lists."""
    return tuple(part.strip() for text in texts or () for part in text.split(",") if part.strip())
