"""What is printed with rich."""

from __future__ import annotations

import sys

from rich.console import Console

from dldoctor.cli.streams import silence


class PatientConsole(Console):
    """A console that goes on in silence when its pipe is closed."""

    def on_broken_pipe(self) -> None:
        """Send what follows to nowhere, so that the exit status still says what was judged."""
        silence(sys.stderr if self.stderr else sys.stdout)


def console(*, no_color: bool = False, stderr: bool = False) -> Console:
    """Return a console for standard output or standard error; rich itself respects NO_COLOR."""
    return PatientConsole(stderr=stderr, no_color=no_color or None, highlight=False, emoji=False)
