"""Runs a part of an experiment in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dldoctor.child.fork import FAULT_OF_OURS, RunDiedError, run_in_fork
from dldoctor.child.session import Session


class ApartDiedError(Exception):
    """The process ended without an answer; the text is how."""


class Patience:
    """Says that one is waiting on purpose, once a second, until the time for it is up."""

    def __init__(self, session: Session, seconds: float) -> None:
        """Wait for so long from now on."""
        self._session = session
        self._started = time.monotonic()
        self._seconds = seconds
        self._said = -1

    def wait(self) -> None:
        """Move the board where a second has gone by."""
        elapsed = int(time.monotonic() - self._started)
        if elapsed < self._seconds and elapsed != self._said:
            self._said = elapsed
            self._session.note("wait", elapsed)


def apart(session: Session, function: Callable[[], Any], patient_s: float = 0.0) -> Any:
    """Return what `function` returns in a fork; a fault of ours in it is one here too.

    For so many seconds nothing that it does counts as a hang: an interpreter that starts moves nothing.

    Raises:
        ApartDiedError: the user's code ended the process.
    """
    try:
        return run_in_fork(session.staging, function, Patience(session, patient_s).wait)
    except RunDiedError as died:
        if died.code == FAULT_OF_OURS and "Traceback" in str(died):
            raise RuntimeError(str(died)) from died
        raise ApartDiedError(f"code {died.code}") from died
