"""Options of ``check-labels`` alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli.jobs import Job

_LABELS = "Rows and roles"


@dataclass(frozen=True)
class LabelsGroup:
    """Where rows and roles are written, and where roles come from."""

    dump: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl", rich_help_panel=_LABELS,
            help="Write one line a row: its facts, and the tokens of the rows that are shown.",
        ),
    ] = None  # fmt: skip
    roles_out: Annotated[
        Path | None,
        typer.Option(
            metavar="roles.toml", rich_help_panel=_LABELS,
            help="Write how each field was understood, to keep and to correct.",
        ),
    ] = None  # fmt: skip
    roles: Annotated[
        Path | None,
        typer.Option(
            metavar="roles.toml", rich_help_panel=_LABELS,
            help="Read such a file; where the values contradict it, the report says so.",
        ),
    ] = None  # fmt: skip

    def lay_over(self, job: Job) -> Job:
        """Return the job with the roles of the file."""
        if self.roles is None:
            return job
        from dldoctor.cli.roles_file import read_roles

        options = {**job.request.options, "roles": read_roles(self.roles)}
        return replace(job, request=replace(job.request, options=options))
