"""A small shared page by which the main process tells its workers which epoch it is."""

from __future__ import annotations

import mmap
import os
import struct

_FORM = struct.Struct("<qqq")
_COST = struct.Struct("<q")
_SIZE = _FORM.size + _COST.size

RUNNING, CLOSING, TRIM = 0, 1, 2
"""`CLOSING`: look closely at the last batches of the epoch; `TRIM`: also give memory back."""


class Control:
    """The page; workers of every start method open it by its path."""

    def __init__(self, path: str) -> None:
        """Open the page at `path`, making it if it is not there."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(descriptor).st_size < _SIZE:
                os.ftruncate(descriptor, _SIZE)
            self._page = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def tell(self, epoch: int, state: int, since: int = 0) -> None:
        """Say where the run stands; `state` holds from the batch of that number on, as each worker counts its own.

        What is asked for now may be read many batches later, so the moment of telling says nothing.
        """
        _FORM.pack_into(self._page, 0, epoch, state, since)

    def heard(self) -> tuple[int, int, int]:
        """Return epoch, state, and the number of a process's batch in this epoch from which it holds."""
        epoch, state, since = _FORM.unpack_from(self._page, 0)
        return epoch, state, since

    def tell_full_cost(self, cost_ns: int) -> None:
        """Say what a full look cost, for processes that have taken none yet."""
        _COST.pack_into(self._page, _FORM.size, cost_ns)

    def full_cost_ns(self) -> int:
        """Return what a full look of any process cost last."""
        return int(_COST.unpack_from(self._page, _FORM.size)[0])
