"""What to run: the target, and the settings of its loader."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

import typer

from dldoctor.cli.options import parse
from dldoctor.intent import LoaderOptions

_TARGET = "Target"
_LOADER = "Loader settings, of a bare dataset or over those of a DataLoader"

TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="path/to/file.py:name, package.module:name, or the name of a target in the config file; "
        "without it, all targets of the config file.",
    ),
]


@dataclass(frozen=True)
class TargetGroup:
    """How to find and call the target, and how to load it."""

    kwargs: Annotated[
        list[str] | None,
        typer.Option(
            "-k", metavar="KEY=VALUE", parser=parse.keyword, rich_help_panel=_TARGET,
            help="Argument for a callable target: a Python literal, or a bare word as text. Repeatable.",
        ),
    ] = None  # fmt: skip
    loader: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which loader of a dict or data module.", rich_help_panel=_TARGET),
    ] = None
    allow_script: Annotated[
        bool,
        typer.Option(
            "--allow-script", rich_help_panel=_TARGET,
            help="Import the file even if that starts training, parses arguments or a process group.",
        ),
    ] = False  # fmt: skip
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", rich_help_panel=_TARGET,
            help="Interpreter that runs your code; dldoctor need not be installed there.",
        ),
    ] = None  # fmt: skip

    batch_size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Samples in a batch.", rich_help_panel=_LOADER)
    ] = None
    num_workers: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Worker processes.", rich_help_panel=_LOADER)
    ] = None
    collate: Annotated[
        str | None,
        typer.Option(metavar="FILE:NAME", help="Makes a batch of samples.", rich_help_panel=_LOADER),
    ] = None
    sampler: Annotated[
        str | None, typer.Option(metavar="FILE:NAME", help="Chooses the order.", rich_help_panel=_LOADER)
    ] = None
    shuffle: Annotated[
        bool | None, typer.Option(help="A random order each epoch.", rich_help_panel=_LOADER)
    ] = None
    drop_last: Annotated[
        bool | None, typer.Option(help="Leave out a last, smaller batch.", rich_help_panel=_LOADER)
    ] = None
    prefetch_factor: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Batches in flight per worker.", rich_help_panel=_LOADER),
    ] = None
    pin_memory: Annotated[
        bool | None, typer.Option(help="Batches in page-locked memory.", rich_help_panel=_LOADER)
    ] = None
    persistent_workers: Annotated[
        bool | None, typer.Option(help="Keep workers between epochs.", rich_help_panel=_LOADER)
    ] = None
    start_method: Annotated[
        Literal["fork", "spawn", "forkserver"] | None,
        typer.Option(help="How workers are started.", rich_help_panel=_LOADER),
    ] = None

    def loader_settings(self) -> dict[str, Any]:
        """Return the loader settings that were given, by name."""
        named = {option.name: getattr(self, option.name) for option in fields(LoaderOptions)}
        return {name: value for name, value in named.items() if value is not None}
