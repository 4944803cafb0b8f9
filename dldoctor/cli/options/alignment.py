"""Options of ``check-alignment`` alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli.jobs import Job

_ROWS = "Rows to look at"


@dataclass(frozen=True)
class AlignmentGroup:
    """Which rows are shown, and where their media are written."""

    rows: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", rich_help_panel=_ROWS,
            help="Rows that are shown with pictures, sounds and text: those of findings first, then others "
            "from all over the dataset. 0 shows none.",
        ),
    ] = 24  # fmt: skip
    dump: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", rich_help_panel=_ROWS,
            help="Write them there as PNG, WAV and text files, and rows.jsonl; several targets each get a folder "
            "below it.",
        ),
    ] = None  # fmt: skip

    def lay_over(self, job: Job) -> Job:
        """Return the job with the number of rows."""
        return replace(job, request=replace(job.request, options={**job.request.options, "rows": self.rows}))
