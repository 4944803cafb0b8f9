"""Whether a rank moves: by its pulse, and by its work where it has none."""

from __future__ import annotations

import os
import time

BUSY = 5.0
"""How many times the deadline a rank may work without a pulse."""


class Movement:
    """When one rank last moved."""

    def __init__(self, folder: str, pid: int) -> None:
        """Start to watch the process `pid`, whose pulse lies in `folder`."""
        self.folder = folder
        self._pulse = os.path.join(folder, "pulse")
        self._pid = pid
        self._seen: tuple[float, int] = (0.0, 0)
        self._beat = self._moved = time.monotonic()

    def moved(self) -> bool:
        """Look again: a pulse is movement, and so is work that has none (a permutation of many items)."""
        now = time.monotonic()
        seen = (os.stat(self._pulse).st_mtime, _tenths(self._pid))
        changed = seen != self._seen
        if seen[0] != self._seen[0]:
            self._beat = now
        if changed:
            self._moved = now
        self._seen = seen
        return changed

    def silent(self, deadline: float) -> bool:
        """Whether nothing moved for so long; work without a pulse counts for `BUSY` times as long."""
        now = time.monotonic()
        return now - self._moved > deadline or now - self._beat > BUSY * deadline


def _tenths(pid: int) -> int:
    """CPU time of a process and its children in tenths of a second: waiting in a loop costs some, but less."""
    total, waiting = 0, [str(pid)]
    while waiting:
        one = waiting.pop()
        try:
            with open(f"/proc/{one}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{one}/task/{one}/children", encoding="ascii") as file:
                waiting += file.read().split()
        except (OSError, IndexError):
            continue
        total += int(fields[11]) + int(fields[12])
    return total // 10
