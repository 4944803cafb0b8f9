"""``dldoctor init``: a first config, from what the source of a project says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from dldoctor.cli import status
from dldoctor.cli.streams import complain, write
from dldoctor.errors import ConfigError
from dldoctor.first_config.entries import FirstConfig

OWN: Final = "dldoctor.toml"
SHOWN: Final = 3

OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="PATH", help="Write there, if there is no such file; - is standard output."
    ),
]
SchemaOption = Annotated[
    bool, typer.Option("--schema", help="Print the JSON Schema of config files for editors instead.")
]


def init(*, output: OutputOption = None, schema: SchemaOption = False) -> int:
    """A first config from the source of the project in this folder; nothing of yours is imported.

    Written to dldoctor.toml; where there is a pyproject.toml, the lines to add to it are printed.
    What is a guess says so in a comment. No file is ever overwritten.
    """
    if schema:
        return _schema()
    from dldoctor.cli.destinations import write_whole
    from dldoctor.first_config.entries import look
    from dldoctor.first_config.write import toml

    here = Path.cwd()
    place, is_printed = _place(here, output)
    found = look(here)
    if not found.entries:
        raise ConfigError(_nothing(found))
    text = toml(found, place, table="" if place.name == OWN else "tool.dldoctor")
    if is_printed:
        write(text.rstrip("\n"))
    else:
        write_whole(place, text.encode())
    done = "printed" if is_printed else f"wrote {output or place.name}"
    hint = "; add the lines to pyproject.toml" if is_printed and output is None else ""
    complain(f"{done}: {_summary(found)}{hint}")
    return status.OK


def _schema() -> int:
    import msgspec

    from dldoctor import config_schema

    write(msgspec.json.format(msgspec.json.encode(config_schema.schema()), indent=2))
    return status.OK


def _place(here: Path, output: str | None) -> tuple[Path, bool]:
    """Return the file that the config is for, and whether it is printed instead of written.

    Raises:
        ConfigError: the file is there, or the project has a config.
    """
    from dldoctor.config import find

    if output is not None and output != "-":
        place = here / output
        if place.exists():
            raise ConfigError(f"{output} is there already; nothing is overwritten, name another with `-o`")
        return place, False
    if (known := find(here)) is not None:
        shown = known.relative_to(here) if known.is_relative_to(here) else known
        raise ConfigError(f"{shown} is a config already; `-o PATH` writes another file")
    if (project := here / "pyproject.toml").is_file():
        return project, True
    return here / OWN, output == "-"


def _summary(found: FirstConfig) -> str:
    ready = [entry for entry in found.entries if entry.is_ready]
    waiting = len(found.entries) - len(ready)
    guesses = sum(len(entry.guesses) for entry in found.entries)
    parts = [f"{_count(len(ready), 'target')} from {_count(found.files, 'file')}"]
    if waiting:
        parts.append(f"{waiting} more as comments, to be filled in")
    if guesses:
        parts.append(f"{_count(guesses, 'guess', 'guesses')} to check")
    if found.unread:
        parts.append(f"{_count(len(found.unread), 'file')} could not be parsed")
    if found.cut:
        parts.append("more files are there than are read")
    return ", ".join(parts)


def _nothing(found: FirstConfig) -> str:
    """Say what was looked at in vain, and what would be found."""
    looked = f"no name of the {_count(found.files, 'Python file')} here is a loader, or returns one"
    if found.inner:
        shown = ", ".join(found.inner[:SHOWN])
        return f"{looked}, but a loader is made in {shown}; put that into a function that returns it"
    return f"{looked}; name a target in a config file, or on the command line as file.py:name"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
