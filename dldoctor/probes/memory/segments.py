"""Segments below ``/dev/shm`` that no living process holds any more."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable

from dldoctor.evidence.memory import Segment

FOLDER = "/dev/shm"  # noqa: S108 - Linux's shared memory, read by name
_OWNED = re.compile(r"^(?:torch|psm|mp|wnsm)_(\d+)_")
_KNOWN = re.compile(r"^(torch_|psm_|mp-|pymp-|pym-|nccl-|cuda\.shm\.|__KMP)")
"""Names that Python, torch and CUDA libraries give; others may be files that somebody keeps there."""
SETTLED_S = 1.0
"""A younger segment may be between its making and its first use."""
KEPT = 20


def stale(seen_by_us: Iterable[str], pids: set[int], folder: str = FOLDER) -> tuple[Segment, ...]:
    """Return the segments whose owner is gone and that nobody holds; `seen_by_us` were made by this run."""
    ours = set(seen_by_us)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ()
    candidates = {}
    for name in names:
        owner = owner_of(name)
        mine = name in ours or owner in pids
        if not (mine or _KNOWN.match(name)):
            continue
        with contextlib.suppress(OSError):
            found = os.lstat(os.path.join(folder, name))
            gone = owner is None or owner in pids or not os.path.exists(f"/proc/{owner}")
            if gone and (mine or time.time() - found.st_mtime > SETTLED_S):
                candidates[name] = Segment(name, found.st_size, owner, ours=mine)
    held = _held(folder) if candidates else set()
    left = [one for name, one in candidates.items() if name not in held]
    return tuple(sorted(left, key=lambda one: not one.ours))[:KEPT]


def owner_of(name: str) -> int | None:
    """Return the process that the name of a segment tells, where it tells one."""
    match = _OWNED.match(name)
    return int(match[1]) if match else None


def _held(folder: str) -> set[str]:
    """Return the names that some process that we may look at has open or mapped."""
    held: set[str] = set()
    prefix = folder.rstrip("/") + "/"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
                held |= {line.partition(prefix)[2].strip() for line in file if prefix in line}
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    target = os.readlink(f"/proc/{pid}/fd/{name}")
                    if target.startswith(prefix):
                        held.add(target.removeprefix(prefix))
    return held
