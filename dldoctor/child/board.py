"""A shared page on which each process notes what it is doing; it outlives SIGKILL.

The page is a mapped file, so workers of every start method reach it by its path. One writer a
slot, no lock: a reader may see half of a write, which costs a wrong label in a post-mortem at worst.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from typing import NamedTuple

SLOTS = 257
"""The main process and 256 workers; later workers share the last slot."""
_SLOT = struct.Struct("<qqqq16s96s")
_SIZE = 256


class Note(NamedTuple):
    """What one process last noted; a named tuple, since one is made for every sample."""

    pid: int
    samples: int
    """Samples that the process has finished."""
    batches: int
    """Batches that it has finished."""
    at_ns: int
    """``time.monotonic_ns()`` of the note."""
    stage: str
    sample: str
    """Text of the sample's id; empty before the first."""


class Board:
    """The mapped page; `path` names it for workers that must open it themselves."""

    def __init__(self, path: str) -> None:
        """Open the page at `path`, making it if it is not there."""
        self.path = path
        exists = os.path.exists(path)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not exists:
                os.ftruncate(descriptor, SLOTS * _SIZE)
            self._page = mmap.mmap(descriptor, SLOTS * _SIZE)
        finally:
            os.close(descriptor)

    def write(self, slot: int, note: Note) -> None:
        """Note what the process of `slot` is doing; 0 is the main process, ``1 + n`` worker n."""
        _SLOT.pack_into(
            self._page,
            min(slot, SLOTS - 1) * _SIZE,
            note.pid,
            note.samples,
            note.batches,
            note.at_ns,
            note.stage.encode()[:16],
            note.sample.encode(errors="replace")[:96],
        )

    def read(self) -> dict[int, Note]:
        """Return the notes of all slots in use."""
        notes = {}
        for slot in range(SLOTS):
            pid, samples, batches, at_ns, stage, sample = _SLOT.unpack_from(self._page, slot * _SIZE)
            if pid:
                notes[slot] = Note(
                    pid,
                    samples,
                    batches,
                    at_ns,
                    stage.rstrip(b"\0").decode(errors="replace"),
                    sample.rstrip(b"\0").decode(errors="replace"),
                )
        return notes

    def clear(self) -> None:
        """Forget all notes, before another probe starts."""
        self._page[:] = bytes(SLOTS * _SIZE)

    def close(self) -> None:
        """Unmap the page."""
        self._page.close()


def board_path(staging: Path) -> str:
    """Return where the board of a run lies."""
    return str(staging / "board")
