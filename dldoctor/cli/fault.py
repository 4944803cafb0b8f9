"""A fault in dldoctor itself: whose it is, and where to report it."""

from __future__ import annotations

import sys

from dldoctor import __version__
from dldoctor.cli.streams import complain


def own_up(traceback: str) -> None:
    """Print a traceback of ours on standard error, and what to do with it."""
    sys.stderr.write(traceback if traceback.endswith("\n") else traceback + "\n")
    complain(
        "this is a fault in dldoctor itself, not in your pipeline; please report the lines above, with "
        f"the command, to the project's issue tracker (dldoctor {__version__}, "
        f"Python {sys.version.split()[0]})"
    )
