"""Clocks of the calling thread: waiting for a core apart from waiting for anything else."""

from __future__ import annotations

import os
import threading


class RunQueue:
    """How long the thread that made it has waited for a core, on Linux; elsewhere always 0."""

    def __init__(self) -> None:
        """Open the kernel's account of this thread; one kept descriptor makes a reading cost a microsecond."""
        self._descriptor = -1
        try:
            path = f"/proc/self/task/{threading.get_native_id()}/schedstat"
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            self.read()
        except (OSError, IndexError, ValueError):
            self.close()

    @property
    def works(self) -> bool:
        """Whether this kernel tells."""
        return self._descriptor >= 0

    def read(self) -> int:
        """Return nanoseconds spent runnable without a core."""
        if self._descriptor < 0:
            return 0
        # Field 1 would be the time on a core, but it is brought up to date at ticks only.
        return int(os.pread(self._descriptor, 64, 0).split()[1])

    def close(self) -> None:
        """Give the descriptor back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
