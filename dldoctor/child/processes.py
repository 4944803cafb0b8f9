"""All processes of one run, found again whatever the user's code forked, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import psutil

MARK = "DLDOCTOR_RUN"
"""Environment variable that marks the processes of a run."""


def members(session: int | None, mark: str) -> list[psutil.Process]:
    """Return the living processes of a run: of its session, or with its mark in their environment."""
    found = []
    for process in psutil.process_iter():
        if process.pid == os.getpid():
            continue
        with contextlib.suppress(psutil.Error, OSError):
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if _in_session(process.pid, session) or _is_marked(process, mark):
                found.append(process)
    return found


def _in_session(pid: int, session: int | None) -> bool:
    return session is not None and hasattr(os, "getsid") and os.getsid(pid) == session


def _is_marked(process: psutil.Process, mark: str) -> bool:
    return process.username() == psutil.Process().username() and process.environ().get(MARK) == mark


def family(pid: int) -> set[int]:
    """Return a process and all that it started, as far as they live."""
    with contextlib.suppress(psutil.Error):
        return {pid, *(one.pid for one in psutil.Process(pid).children(recursive=True))}
    return set()


def end(processes: Iterable[psutil.Process], grace_s: float = 2.0) -> None:
    """Kill processes; those that only clean up after others get a moment to do so."""
    waiting = list(processes)
    cleaners = [process for process in waiting if _cleans_up(process)]
    for process in waiting:
        if process not in cleaners:
            with contextlib.suppress(psutil.Error):
                process.kill()
    _, alive = psutil.wait_procs(waiting, timeout=grace_s)
    for process in alive:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, timeout=grace_s)


def _cleans_up(process: psutil.Process) -> bool:
    """Python's resource tracker removes named shared memory once its users are gone."""
    with contextlib.suppress(psutil.Error):
        return any("resource_tracker" in part for part in process.cmdline())
    return False


def shared_memory_of(pids: set[int]) -> list[Path]:
    """Return segments that torch left in ``/dev/shm`` for processes that are gone."""
    folder = Path("/dev/shm")  # noqa: S108 - Linux's shared memory, read by name
    if not folder.is_dir():
        return []
    return [path for path in folder.glob("torch_*") if _owner(path.name) in pids]


def _owner(name: str) -> int | None:
    parts = name.split("_")
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else None


def remove_shared_memory(pids: set[int]) -> None:
    """Remove the segments of processes of ours that are gone."""
    for path in shared_memory_of(pids):
        with contextlib.suppress(OSError):
            path.unlink()


def ask_to_stop(pid: int) -> None:
    """Ask a probe to end with what it has."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)
