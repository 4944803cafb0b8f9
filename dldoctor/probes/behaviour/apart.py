"""Runs a part of an experiment in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.child.fork import FAULT_OF_OURS, Fork, RunDiedError, start_in_fork
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
    found = apart_at_once(session, [function], patient_s)[0]
    if isinstance(found, ApartDiedError):
        raise found
    return found


def apart_at_once(
    session: Session, functions: Sequence[Callable[[], Any]], patient_s: float = 0.0
) -> list[Any]:
    """Return what each of the functions returns in a fork, side by side; or the `ApartDiedError` of one."""
    patience = Patience(session, patient_s)
    forks = [start_in_fork(session.staging, function) for function in functions]
    return [_result(fork, patience) for fork in forks]


def _result(fork: Fork, patience: Patience) -> Any:
    try:
        return fork.wait(patience.wait)
    except RunDiedError as died:
        if died.code == FAULT_OF_OURS and "Traceback" in str(died):
            raise RuntimeError(str(died)) from died
        return ApartDiedError(f"code {died.code}")
