"""The worker processes of a loader: who they are and how they ended."""

from __future__ import annotations

import multiprocessing
import re
import traceback
from multiprocessing.process import BaseProcess
from typing import Any

from dldoctor.probes.death_signal import spare_temporary_files
from dldoctor.probes.frames import is_first_party, one_line, shown_path


class Workers:
    """Remembers the processes that came into being with an iterator."""

    def __init__(self, before: set[int | None], iterator: Any) -> None:
        """Note the processes that were not there `before` ``iter(loader)``."""
        spare_temporary_files()
        fresh = [p for p in multiprocessing.active_children() if p.pid not in before]
        listed = getattr(iterator, "_workers", None)
        if isinstance(listed, list) and all(isinstance(p, BaseProcess) for p in listed):
            fresh = listed  # in order of the worker number
        self.processes: list[BaseProcess] = sorted(fresh, key=lambda p: p.pid or 0) if not listed else fresh

    @staticmethod
    def alive_now() -> set[int | None]:
        """Return the pids of all child processes."""
        return {p.pid for p in multiprocessing.active_children()}

    def dead(self) -> list[tuple[int, int, int]]:
        """Return ``(worker, pid, exit code)`` of the workers that ended badly (code not 0)."""
        found = []
        for number, process in enumerate(self.processes):
            code = process.exitcode
            if code is not None and code != 0:
                found.append((number, process.pid or 0, code))
        return found

    def gone(self) -> list[tuple[int, int, int]]:
        """Return ``(worker, pid, exit code)`` of all workers that are no more."""
        return [
            (number, process.pid or 0, process.exitcode)
            for number, process in enumerate(self.processes)
            if process.exitcode is not None
        ]


class WorkerGoneError(Exception):
    """A worker process ended while the loader still needed it."""


def worker_is_gone(error: BaseException) -> bool:
    """Whether an exception may be the trace of a dead worker: torch's own, or a broken connection.

    A killed worker can surface as a refused or reset connection when a batch is rebuilt.
    """
    if isinstance(error, (ConnectionError, EOFError, FileNotFoundError)):
        return "in DataLoader worker process" not in str(error)
    return isinstance(error, RuntimeError) and "DataLoader worker (pid" in str(error)


_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def describe_loader_error(error: BaseException) -> dict[str, Any]:
    """Return an exception that came out of ``next(loader)``; one from a worker is a text there."""
    text = str(error)
    frames = [
        (frame.filename, frame.lineno or 0, frame.name) for frame in traceback.extract_tb(error.__traceback__)
    ]
    shown = one_line(error)
    if "Original Traceback" in text:
        frames = [(path, int(line), name) for path, line, name in _FRAME.findall(text)]
        last = [line for line in text.strip().splitlines() if line.strip()][-1]
        shown = last.strip()[:300]
    own = [frame for frame in frames if is_first_party(frame[0])]
    path, line, symbol = own[-1] if own else ("", 0, "")
    return {
        "error": shown,
        "kind": type(error).__name__,
        "path": shown_path(path) if path else "",
        "line": line,
        "symbol": symbol,
        "mine": bool(own) and own[-1] == frames[-1],
    }
