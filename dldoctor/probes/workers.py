"""The worker processes of a loader: who they are and how they ended."""

from __future__ import annotations

import functools
import multiprocessing
import re
import traceback
from multiprocessing.process import BaseProcess
from typing import Any
from weakref import WeakSet

from dldoctor.foreign import attribute
from dldoctor.probes.death_signal import spare_temporary_files
from dldoctor.probes.frames import is_first_party, one_line, shown_path

_listening: WeakSet[Workers] = WeakSet()
"""Who wants to know which workers are started. Nobody else keeps their handles: each holds two descriptors."""


def _listen() -> None:
    if getattr(BaseProcess.start, "_dldoctor_listens", False):
        return
    start = BaseProcess.start

    @functools.wraps(start)
    def noted(process: BaseProcess) -> None:
        works_for_torch = _serves_torch(process)  # a process forgets its target when it is started
        start(process)
        if works_for_torch:
            for listener in list(_listening):
                listener.hear(process)

    noted._dldoctor_listens = True  # type: ignore[attr-defined]  # noqa: SLF001 - ours
    setattr(BaseProcess, "start", noted)  # noqa: B010 - a method


class Workers:
    """Remembers the processes that came into being with an iterator.

    A loader that is a generator starts them with its first batch: so processes are listened for as well.
    """

    def __init__(self, before: set[int | None], iterator: Any) -> None:
        """Note the processes that were not there `before` ``iter(loader)``."""
        spare_temporary_files()
        fresh = [p for p in multiprocessing.active_children() if p.pid not in before]
        listed = getattr(iterator, "_workers", None)
        if isinstance(listed, list) and all(isinstance(p, BaseProcess) for p in listed):
            fresh = listed  # in order of the worker number
        self._known: list[BaseProcess] = sorted(fresh, key=lambda p: p.pid or 0) if not listed else fresh
        self._started: list[BaseProcess] = []
        if not self._known:
            _listen()
            _listening.add(self)

    def hear(self, process: BaseProcess) -> None:
        """Note a worker that was started only now."""
        self._started.append(process)

    @property
    def processes(self) -> list[BaseProcess]:
        """Return the workers, in order of their number where that is known."""
        return self._known or self._started

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


def _serves_torch(process: BaseProcess) -> bool:
    """Whether this is a worker of torch's, and none of the user's own processes."""
    module = attribute(attribute(process, "_target"), "__module__", None)
    return isinstance(module, str) and module.startswith("torch.utils.data")


class WorkerGoneError(Exception):
    """A worker process ended while the loader still needed it."""


def worker_is_gone(error: BaseException) -> bool:
    """Whether an exception may be the trace of a dead worker: torch's own, or a broken connection.

    A killed worker can surface as a refused or reset connection when a batch is rebuilt.
    """
    if isinstance(error, (ConnectionError, EOFError, FileNotFoundError)):
        return "in DataLoader worker process" not in str(error)
    return isinstance(error, RuntimeError) and "DataLoader worker (pid" in str(error)


def echoes_failed_start(error: BaseException) -> bool:
    """Whether torch stumbles over what a failed `worker_init_fn` had left undone: that failure was told already."""
    frames = _FRAME.findall(str(error))
    return isinstance(error, UnboundLocalError) and bool(frames) and frames[-1][2] == "_worker_loop"


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
