"""Counters where there is no ``/proc``: by psutil, if the environment of the loader has it."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from dldoctor.probes.memory.counters import Cheap, Full, Kin
from dldoctor.probes.memory.descriptors import pattern_of


class FromPsutil:
    """Asks psutil. Pages that are shared and not copied yet stay invisible where the system keeps no count."""

    def __init__(self) -> None:
        """Look at this process.

        Raises:
            ImportError: the environment of the loader has no psutil.
        """
        # By name: it is used where that environment has it, and nothing here depends on it.
        self._psutil = importlib.import_module("psutil")
        self._gone = (self._psutil.Error, OSError)
        self._process = self._psutil.Process(os.getpid())

    def cheap(self) -> Cheap:
        """Return resident memory in all, which copying on write does not change either."""
        resident = self._process.memory_info().rss
        return Cheap(resident, self._descriptors(), self._process.num_threads(), resident)

    def full(self) -> Full:
        """Return private memory; its share of the rest only where the system tells it."""
        info: Any = self._process.memory_full_info()
        private = getattr(info, "uss", info.rss)
        return Full(private, getattr(info, "pss", private))

    def census(self) -> tuple[Counter[tuple[str, str]], set[str]]:
        """Return open files by pattern, sockets, and the rest; segments have no names that could be read."""
        found: Counter[tuple[str, str]] = Counter()
        with contextlib.suppress(*self._gone):
            found.update(("file", pattern_of(one.path)) for one in self._process.open_files())
        with contextlib.suppress(*self._gone):
            # Before psutil 6 it had another name.
            ask = getattr(self._process, "net_connections", None) or self._process.connections
            sockets = len(ask(kind="all"))
            if sockets:
                found["socket", "socket"] = sockets
        rest = self._descriptors() - sum(found.values())
        if rest > 0:
            found["other", "other"] = rest
        return found, set()

    def children(self, apart: Iterable[int] = ()) -> Kin:
        """Return what the processes below this one take."""
        without = set(apart)
        count = total = 0
        waiting = [self._process]
        while waiting:
            with contextlib.suppress(*self._gone):
                for child in waiting.pop().children():
                    if child.pid not in without and child.status() != self._psutil.STATUS_ZOMBIE:
                        count += 1
                        waiting.append(child)
                        with contextlib.suppress(*self._gone):
                            total += child.memory_info().rss
        return Kin(count, total)

    def below(self, root: int) -> list[int]:
        """Return the processes that came from `root`."""
        with contextlib.suppress(*self._gone):
            return sorted(one.pid for one in self._psutil.Process(root).children(recursive=True))
        return []

    def _descriptors(self) -> int:
        # Windows has handles instead.
        name = "num_fds" if hasattr(self._process, "num_fds") else "num_handles"
        return int(getattr(self._process, name)())
