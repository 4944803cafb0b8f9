"""Torch's answer to a dead worker, kept out of the places where it leaves something behind.

Torch raises from its SIGCHLD handler, wherever the process happens to be. After a broken connection
it opens ten temporary files, to see whether descriptors ran out; a worker's death that is told in
the middle of that leaves one of them behind for good.
"""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Callable
from types import FrameType


class _Spared:
    """Calls a handler, except in the middle of making a temporary file."""

    def __init__(self, handler: Callable[[int, FrameType | None], object]) -> None:
        self.handler = handler

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        # Left out, not put off: the error that made torch look comes out of ``next`` by itself, and
        # a worker that is gone is found by its exit code as well.
        if not _makes_a_file(frame):
            self.handler(signum, frame)


def spare_temporary_files() -> None:
    """Put the guard around the handler that torch has set, if it has; in a process of a probe only."""
    if not hasattr(signal, "SIGCHLD") or threading.current_thread() is not threading.main_thread():
        return
    handler = signal.getsignal(signal.SIGCHLD)
    if callable(handler) and not isinstance(handler, _Spared):
        signal.signal(signal.SIGCHLD, _Spared(handler))


def _makes_a_file(frame: FrameType | None) -> bool:
    for _ in range(8):
        if frame is None:
            return False
        if frame.f_code.co_filename == tempfile.__file__:
            return True
        frame = frame.f_back
    return False
