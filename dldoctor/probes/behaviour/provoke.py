"""Puts pauses into the reads of shared handles, so that a race that a fast disk hides comes out.

A pause after ``seek`` changes nothing for one process. Two that share a position then read from
where the other one has put it.
"""

from __future__ import annotations

import io
import os
import time
from typing import Any, Self

from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.graph import Found, parts, walk
from dldoctor.probes.behaviour.open_things import RAW, open_things

PAUSE_S = 0.0005


class Slow:
    """A file that waits a moment after each ``seek`` and is otherwise the user's own."""

    def __init__(self, file: Any) -> None:
        """Stand for `file`."""
        self._file = file

    def __getattr__(self, name: str) -> Any:
        """Give everything else of the file."""
        return getattr(self._file, name)

    def seek(self, *place: Any) -> Any:
        """Seek, then wait."""
        found = self._file.seek(*place)
        time.sleep(PAUSE_S)
        return found

    def __iter__(self) -> Any:
        """Iterate over the lines."""
        return iter(self._file)

    def __enter__(self) -> Self:
        """Enter a `with` block."""
        self._file.__enter__()
        return self

    def __exit__(self, *error: object) -> Any:
        """Leave it."""
        return self._file.__exit__(*error)


def provoke(starts: list[Found]) -> tuple[str, ...]:
    """Slow the shared handles down, in this process and its forks; return the paths that could be."""
    shared = [(handle, value) for handle, value in open_things(starts)]
    slowed = []
    if any(handle.kind == RAW for handle, _ in shared):
        os.lseek = _slow_lseek(os.lseek)
        slowed += [handle.path for handle, _ in shared if handle.kind == RAW]
    wanted = {id(value): handle for handle, value in shared if isinstance(value, io.IOBase)}
    for handle, value in shared:
        for name in ("fp", "fileobj"):
            inner = attribute(value, "__dict__", {}).get(name)
            if handle.kind in ("zip archive", "tar archive") and inner is not None:
                setattr(value, name, Slow(inner))
                slowed.append(handle.path)
    for _, owner in list(walk(starts)):
        slowed += [
            wanted[id(inner)].path
            for step, inner in parts(owner)
            if id(inner) in wanted and _put(owner, step, inner)
        ]
    return tuple(dict.fromkeys(slowed))


def _put(owner: Any, step: str, inner: Any) -> bool:
    stored = attribute(owner, "__dict__", None)
    if isinstance(stored, dict) and step.startswith(".") and stored.get(step[1:]) is inner:
        stored[step[1:]] = Slow(inner)
        return True
    return False


def _slow_lseek(original: Any) -> Any:
    def lseek(descriptor: int, *place: Any) -> int:
        found = original(descriptor, *place)
        time.sleep(PAUSE_S)
        return int(found)

    return lseek
