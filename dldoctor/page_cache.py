"""Drops files from the page cache, and tells whether they left it; nothing is written, and no root is needed."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from collections.abc import Sequence
from pathlib import Path

RESIDENT_AT_MOST = 0.1
"""Share of the bytes that may stay."""


def evict(part: Sequence[tuple[str, int]]) -> bool:
    """Ask the kernel to forget the pages of these files; return whether it did (mincore tells)."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path, _ in part:
        with contextlib.suppress(OSError), Path(path).open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    whole = sum(size for _, size in part)
    left = sum(size * share for path, size in part if (share := resident(path, size)) is not None)
    known = [path for path, size in part if resident(path, size) is not None]
    return bool(known) and left <= RESIDENT_AT_MOST * whole


def resident(path: str, size: int) -> float | None:
    """Return the share of a file that lies in the page cache; None where the system does not say."""
    pages = -(-size // mmap.PAGESIZE)
    with (
        contextlib.suppress(OSError, ValueError, AttributeError),
        Path(path).open("rb") as file,
        mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE) as view,
    ):
        answer = (ctypes.c_ubyte * pages)()
        start = ctypes.c_char.from_buffer(view)
        address = ctypes.addressof(start)
        failed = ctypes.CDLL(None, use_errno=True).mincore(
            ctypes.c_void_p(address), ctypes.c_size_t(size), answer
        )
        del start
        return None if failed else sum(one & 1 for one in answer) / pages
    return None
