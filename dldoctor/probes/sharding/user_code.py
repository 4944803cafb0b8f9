"""Runs the user's code in a rank: what it raises is data, and it moves while its pulse does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.request import ChildRequest


class UserFailedError(Exception):
    """The user's code raised while the loader ran; the cause is what it raised."""


def pulse(job: dict[str, Any]) -> None:
    """Show that this rank moves."""
    os.utime(os.path.join(job["folder"], "pulse"))


def leave(folder: str, name: str, value: Any) -> None:
    """Write a file as a whole or not at all."""
    path = os.path.join(folder, name)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(f"{path}.new", path)


def users(call: Callable[[], Any]) -> Any:
    """Run the user's code; what it raises is data."""
    try:
        return call()
    except Exception as error:
        raise UserFailedError from error


def in_fork(request: ChildRequest, call: Callable[[], Any]) -> Any:
    """Return what a trial gives in a fork, so that the epochs start fresh; null where it cannot be made."""
    if not hasattr(os, "fork"):
        return None

    def guarded() -> Any:
        try:
            return call()
        except Exception:  # noqa: BLE001 - the user's code; the epochs tell what fails
            return None

    try:
        return run_in_fork(request.staging, guarded)
    except RunDiedError:
        return None
