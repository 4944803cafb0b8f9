"""Open descriptors of a process, by kind and by the pattern of their paths."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from functools import lru_cache

_SHARED = re.compile(r"^/dev/shm/|^/memfd:|^/SYSV")
_NUMBER = re.compile(r"[0-9a-fA-F]{8,}|\d+")
KEPT = 24


def census(proc: str = "/proc/self") -> tuple[Counter[tuple[str, str]], set[str]]:
    """Return ``(kind, pattern)`` to the number of open descriptors, and the names of shared memory among them."""
    found: Counter[tuple[str, str]] = Counter()
    segments: set[str] = set()
    for name in os.listdir(f"{proc}/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"{proc}/fd/{name}")
            found[classify(target)] += 1
            if target.startswith("/dev/shm/") and not target.endswith(" (deleted)"):  # noqa: S108 - read by name
                segments.add(target.removeprefix("/dev/shm/"))  # noqa: S108 - read by name
    return found, segments


@lru_cache(maxsize=4096)
def classify(target: str) -> tuple[str, str]:
    """Return kind and pattern of what a descriptor points to."""
    if target.startswith("socket:"):
        return "socket", "socket"
    if target.startswith("pipe:"):
        return "pipe", "pipe"
    path = target.removesuffix(" (deleted)")
    if _SHARED.match(path):
        return "shared-memory", _NUMBER.sub("*", path)
    if not path.startswith("/"):
        return "other", path.partition(":[")[0]
    return "file", pattern_of(path)


def pattern_of(path: str) -> str:
    """Return a path with the name of the file reduced to its extension: one pattern a folder."""
    folder, name = os.path.split(path)
    if folder.startswith(("/dev", "/proc")):
        return path
    stem, extension = os.path.splitext(name)
    return f"{_NUMBER.sub('*', folder)}/*{extension}" if stem else path
