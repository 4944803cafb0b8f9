"""The app, and the only place that turns an exception into an exit status."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from dldoctor import __version__
from dldoctor.cli import status
from dldoctor.cli.fault import own_up
from dldoctor.cli.help import Root
from dldoctor.cli.streams import complain, write
from dldoctor.errors import DldoctorError, nearest

COMPLETION: Final = "_DLDOCTOR_COMPLETE"
"""Set by a shell: ``eval "$(_DLDOCTOR_COMPLETE=source_bash dldoctor)"`` turns completion on."""

# Plain help, so that it comes at once: rich's takes longer to import than all the rest.
app = typer.Typer(
    name="dldoctor", cls=Root, add_completion=False, rich_markup_mode=None, no_args_is_help=True
)


def _version(asked: bool) -> None:
    if asked:
        write(f"dldoctor {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """The doctor for PyTorch data pipelines: runs your own loader and says what is wrong with it.

    Exit status: 0 judged, nothing found at the level that fails; 1 found; 2 could not be judged;
    130 interrupted; 70 a fault in dldoctor itself.
    """


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit status."""
    if COMPLETION in os.environ:  # a shell asks what may follow; nobody else waits for this import
        from typer.completion import completion_init  # type: ignore[attr-defined]  # it has no other name

        completion_init()
    try:
        return app(args=list(arguments), prog_name="dldoctor", standalone_mode=False) or status.OK
    except typer.TyperException as error:
        return refused(error)
    except DldoctorError as error:
        complain(str(error))
        return status.NOT_JUDGED
    except KeyboardInterrupt:
        complain("interrupted")
        return status.INTERRUPTED
    except Exception:  # noqa: BLE001 — whatever is left is our own fault, and says so
        own_up(traceback.format_exc())
        return status.FAULT


def refused(error: typer.TyperException) -> int:
    """Say in one line what is wrong with the command line; a bare call gets the help instead."""
    message = " ".join(error.format_message().replace("Value error, ", "").split())
    if message.startswith("Usage:"):
        write(error.format_message())
        return status.NOT_JUDGED
    if choice := re.search(r"'([^']*)' is not one of (.*)\.", message):
        message = message.rstrip(".") + nearest(choice[1], re.findall(r"'([^']*)'", choice[2]))
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "dldoctor"
    complain(f"{message[0].lower()}{message[1:]} (`{path} --help`)")
    return status.NOT_JUDGED
