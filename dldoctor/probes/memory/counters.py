"""Counters of one process, read from ``/proc`` by the process itself: no library, no second process."""

from __future__ import annotations

import os
from typing import NamedTuple

PROC = "/proc/self"
_KB = 1024


class Cheap(NamedTuple):
    """Counters that cost some tens of microseconds."""

    grown_bytes: int
    descriptors: int
    threads: int


class Full(NamedTuple):
    """Private and shared memory; the kernel walks all pages for it, some milliseconds."""

    uss_bytes: int
    rss_bytes: int
    pss_bytes: int
    shared_bytes: int
    anonymous_bytes: int


def can_read() -> bool:
    """Whether this system has the counters."""
    return os.path.exists(f"{PROC}/smaps_rollup") and os.path.exists(f"{PROC}/status")


def cheap() -> Cheap:
    """Return the cheap counters of this process."""
    fields = fields_of(_read("status"))
    # Kernels before 4.5 do not split resident memory; the whole of it is the next best.
    anonymous = fields.get("RssAnon", fields.get("VmRSS", 0))
    return Cheap(
        grown_bytes=anonymous + fields.get("RssShmem", 0),
        descriptors=len(os.listdir(f"{PROC}/fd")) - 1,
        threads=fields.get("Threads", _KB) // _KB,
    )


def full() -> Full:
    """Return private and shared memory of this process."""
    return sum_up(fields_of(_read("smaps_rollup")))


def sum_up(fields: dict[str, int]) -> Full:
    """Return the sums that matter of the fields of ``smaps_rollup``."""
    return Full(
        uss_bytes=fields.get("Private_Clean", 0) + fields.get("Private_Dirty", 0),
        rss_bytes=fields.get("Rss", 0),
        pss_bytes=fields.get("Pss", 0),
        shared_bytes=fields.get("Shared_Clean", 0) + fields.get("Shared_Dirty", 0),
        anonymous_bytes=fields.get("Anonymous", 0),
    )


def fields_of(text: bytes) -> dict[str, int]:
    """Return the ``Name: number`` lines of a file of ``/proc``, times 1024 (most are in kB)."""
    found = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(b":")
        value = rest.split()
        if colon and value and value[0].isdigit():
            found[name.decode(errors="replace")] = int(value[0]) * _KB
    return found


def _read(name: str) -> bytes:
    descriptor = os.open(f"{PROC}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
