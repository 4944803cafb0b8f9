"""How ranks are started."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import typer

from dldoctor.cli.jobs import Job


@dataclass(frozen=True)
class ShardingGroup:
    """Options of `dldoctor check-sharding` alone."""

    launch: Annotated[
        Literal["auto", "env", "torchrun"] | None,
        typer.Option(
            rich_help_panel="Ranks",
            help="What a rank finds: torchrun's variables (env), also a process group (torchrun); auto makes "
            "a group if your code needs one or asks for one.",
        ),
    ] = None

    def lay_over(self, job: Job) -> Job:
        """Return the job with these options."""
        given = {} if self.launch is None else {"launch": self.launch}
        return replace(job, request=replace(job.request, options={**job.request.options, **given}))
