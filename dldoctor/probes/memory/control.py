"""A small shared page by which the main process tells its workers which epoch it is."""

from __future__ import annotations

import mmap
import os
import struct

_FORM = struct.Struct("<qq")

RUNNING, CLOSING, TRIM = 0, 1, 2
"""`CLOSING`: the last batches of the epoch, look closely; `TRIM`: also give memory back."""


class Control:
    """The page; workers of every start method open it by its path."""

    def __init__(self, path: str) -> None:
        """Open the page at `path`, making it if it is not there."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(descriptor).st_size < _FORM.size:
                os.ftruncate(descriptor, _FORM.size)
            self._page = mmap.mmap(descriptor, _FORM.size)
        finally:
            os.close(descriptor)

    def tell(self, epoch: int, state: int) -> None:
        """Say where the run stands."""
        _FORM.pack_into(self._page, 0, epoch, state)

    def heard(self) -> tuple[int, int]:
        """Return epoch and state."""
        epoch, state = _FORM.unpack_from(self._page, 0)
        return epoch, state
