"""``dldoctor show``: the same report again, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dldoctor.cli import status
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.streams import write
from dldoctor.errors import ConfigError

ReportArgument = Annotated[
    Path | None, typer.Argument(metavar="REPORT.json", help="A report that -o wrote as JSON.")
]
SchemaOption = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of reports instead.")]


def show(path: ReportArgument = None, *, schema: SchemaOption = False, output: OutputGroup) -> int:
    """A saved report again, in any format. Nothing is run, and the status is 0."""
    import msgspec

    from dldoctor import report
    from dldoctor.cli.destinations import Destinations

    if schema:
        write(msgspec.json.format(msgspec.json.encode(report.schema()), indent=2))
    elif path is None:
        raise ConfigError("no report was given; write one with `-o report.json`")
    else:
        Destinations.of(output).deliver(report.load(path), path.stem)
    return status.OK
