"""How much to look at, for how long, and the limits to judge against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from dldoctor.cli.options import parse

_AMOUNT = "How much"
_MACHINE = "Judge against another machine"


@dataclass(frozen=True)
class LimitGroup:
    """Amounts, times and the limits of the machine that will train."""

    batches: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Batches to read.", rich_help_panel=_AMOUNT)
    ] = None
    samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Samples to read.", rich_help_panel=_AMOUNT)
    ] = None
    ids: Annotated[
        Any,
        typer.Option(
            metavar="I,J,...", parser=parse.indices, help="Only these indices.", rich_help_panel=_AMOUNT
        ),
    ] = None
    epochs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Epochs to run.", rich_help_panel=_AMOUNT)
    ] = None
    time_budget: Annotated[
        float | None,
        typer.Option(min=0.001, metavar="SECONDS", help="Stop reading then.", rich_help_panel=_AMOUNT),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            rich_help_panel=_AMOUNT,
            help="Seed of random, numpy and torch; a checkup has 0.",
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001, metavar="SECONDS", rich_help_panel=_AMOUNT,
            help="No progress for so long is a hang; without it 60, or 20 times the slowest batch so far.",
        ),
    ] = None  # fmt: skip

    memory_limit: Annotated[
        Any,
        typer.Option(
            metavar="BYTES", parser=parse.size, help="Memory, such as 64GiB.", rich_help_panel=_MACHINE
        ),
    ] = None
    shm_bytes: Annotated[
        Any,
        typer.Option(
            metavar="BYTES", parser=parse.size, help="Shared memory, such as 64MB.", rich_help_panel=_MACHINE
        ),
    ] = None
    ranks: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes that train together.", rich_help_panel=_MACHINE),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the fields of `dldoctor.intent.Limits` that were given."""
        named = {
            "batches": self.batches,
            "samples": self.samples,
            "ids": self.ids,
            "epochs": self.epochs,
            "time_budget_s": self.time_budget,
            "seed": self.seed,
            "timeout_s": self.timeout,
            "memory_limit_bytes": self.memory_limit,
            "shm_bytes": self.shm_bytes,
            "ranks": self.ranks,
        }
        return {name: value for name, value in named.items() if value is not None}
