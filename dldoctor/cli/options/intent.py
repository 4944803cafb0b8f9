"""What the pipeline is for, as the user declares it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from dldoctor.cli.options import parse
from dldoctor.intent import Role, Task

_PURPOSE = "Purpose"
_TOKENS = "Token ids"
_FIELDS = "Fields and budgets"


@dataclass(frozen=True)
class IntentGroup:
    """Declared intent; what is not declared is judged with care."""

    role: Annotated[Role | None, typer.Option(help="What the loader feeds.", rich_help_panel=_PURPOSE)] = None
    task: Annotated[Task | None, typer.Option(help="What is learned.", rich_help_panel=_PURPOSE)] = None
    replacement: Annotated[
        bool | None, typer.Option(help="Repeated samples are meant.", rich_help_panel=_PURPOSE)
    ] = None
    substitutes: Annotated[
        bool | None,
        typer.Option(
            help="A failing sample is replaced on purpose, within bounds.", rich_help_panel=_PURPOSE
        ),
    ] = None
    scaled_on_device: Annotated[
        bool | None,
        typer.Option(help="Pixels leave the loader as 0..255 on purpose.", rich_help_panel=_PURPOSE),
    ] = None

    pad_id: Annotated[
        int | None, typer.Option(metavar="ID", help="Padding token.", rich_help_panel=_TOKENS)
    ] = None
    eos_id: Annotated[
        int | None, typer.Option(metavar="ID", help="End-of-text token.", rich_help_panel=_TOKENS)
    ] = None
    bos_id: Annotated[
        int | None, typer.Option(metavar="ID", help="Start-of-text token.", rich_help_panel=_TOKENS)
    ] = None
    vocab_size: Annotated[int | None, typer.Option(min=1, metavar="N", rich_help_panel=_TOKENS)] = None
    max_length: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Longest text that the model takes.", rich_help_panel=_TOKENS),
    ] = None

    field: Annotated[
        list[Any] | None,
        typer.Option(
            metavar="ROLE=PATH", parser=parse.field_role, rich_help_panel=_FIELDS,
            help="What a field holds: --field token_ids=input_ids, --field sample_id=meta.id. Repeatable.",
        ),
    ] = None  # fmt: skip
    budget: Annotated[
        list[Any] | None,
        typer.Option(
            metavar="NAME=VALUE", parser=parse.budget, rich_help_panel=_FIELDS,
            help="A limit whose miss is an error: --budget padding=0.3. Repeatable.",
        ),
    ] = None  # fmt: skip

    def declared(self) -> dict[str, Any]:
        """Return the fields of `dldoctor.intent.Intent` that were given, but for fields and budgets."""
        named = {
            option.name: getattr(self, option.name)
            for option in fields(self)
            if option.name not in ("field", "budget")
        }
        return {name: value for name, value in named.items() if value is not None}
