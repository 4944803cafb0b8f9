"""Threads and processes that are alive when an epoch is over, by name."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter

from dldoctor.evidence.memory import EpochTasks
from dldoctor.probes.memory import counters

NAMES = 16


def tasks(epoch: int) -> EpochTasks:
    """Return what lives now: threads of this process, and all processes that came from it."""
    names = Counter(_plain(thread.name) for thread in threading.enumerate())
    others = Counter(_name(pid) for pid in descendants(os.getpid()))
    return EpochTasks(
        epoch=epoch,
        threads=counters.cheap().threads,
        processes=sum(others.values()),
        thread_names=_listed(names),
        process_names=_listed(others),
    )


def descendants(root: int) -> list[int]:
    """Return the living processes below `root`, and those of its session that lost their parent."""
    parents: dict[int, int] = {}
    sessions: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                state, parent, _, session = _stat(int(name))
                if state != "Z":
                    parents[int(name)], sessions[int(name)] = parent, session
    below: set[int] = set()
    waiting = [root]
    while waiting:
        one = waiting.pop()
        fresh = [pid for pid, parent in parents.items() if parent == one and pid not in below]
        below.update(fresh)
        waiting += fresh
    mine = os.getsid(root)
    lost = {pid for pid, session in sessions.items() if session == mine and parents[pid] == 1 and pid != mine}
    return sorted((below | lost) - {root})


def _stat(pid: int) -> tuple[str, int, int, int]:
    with open(f"/proc/{pid}/stat", "rb") as file:
        rest = file.read().rpartition(b")")[2].split()
    return rest[0].decode(), int(rest[1]), int(rest[2]), int(rest[3])


def _name(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()
    return "?"


def _plain(name: str) -> str:
    """Return a thread's name without its number: ``ThreadPoolExecutor-3_0`` is one of many alike."""
    return "".join("*" if letter.isdigit() else letter for letter in name).replace("**", "*")


def _listed(names: Counter[str]) -> tuple[str, ...]:
    return tuple(name if count == 1 else f"{count} x {name}" for name, count in names.most_common(NAMES))
