"""Counters of one process, read by the process itself: from ``/proc``, or by psutil where there is none."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from dldoctor.probes.memory import descriptors

PROC = "/proc"
_KB = 1024
WEIGHED = 8
"""Children of which the memory is read; more of them are taken to be like these."""
_STATUS = re.compile(rb"^(VmRSS|RssAnon|RssShmem|Threads):\s*(\d+)", re.MULTILINE)


class Cheap(NamedTuple):
    """Counters that cost some tens of microseconds."""

    grown_bytes: int
    descriptors: int
    threads: int
    rss_bytes: int


class Full(NamedTuple):
    """Private and shared memory; the kernel walks all pages for it, 10 ms for each 200 MB or so."""

    uss_bytes: int
    pss_bytes: int


class Kin(NamedTuple):
    """The processes that this one started, and those that they started."""

    number: int
    bytes: int
    """Their private memory and their share of the rest."""


class Reader(Protocol):
    """A way to read the counters of this process."""

    def cheap(self) -> Cheap:
        """Return what costs little."""

    def full(self) -> Full:
        """Return private and shared memory."""

    def census(self) -> tuple[Counter[tuple[str, str]], set[str]]:
        """Return ``(kind, pattern)`` to the number of open descriptors, and the names of shared memory among them."""

    def children(self, apart: Iterable[int] = ()) -> Kin:
        """Return what the processes below this one take, those of `apart` and theirs left out."""

    def below(self, root: int) -> list[int]:
        """Return the living processes below `root`, and those of its session that lost their parent."""


def can_read() -> bool:
    """Whether this system has the counters, or psutil is there to tell them."""
    try:
        reader()
    except ImportError:
        return False
    return True


def reader() -> Reader:
    """Return the reader for this system.

    Raises:
        ImportError: there is no ``/proc`` with the counters, and no psutil.
    """
    if os.path.exists(f"{PROC}/self/smaps_rollup") and os.path.exists(f"{PROC}/self/status"):
        return FromProc()
    from dldoctor.probes.memory.elsewhere import FromPsutil

    return FromPsutil()


class FromProc:
    """Reads the files of Linux's ``/proc``."""

    def cheap(self) -> Cheap:
        """Return growth, descriptors and threads."""
        fields = {name: int(value) for name, value in _STATUS.findall(_read("self/status"))}
        resident = fields.get(b"VmRSS", 0)
        # Kernels before 4.5 do not split resident memory; the whole of it is the next best.
        anonymous = fields.get(b"RssAnon", resident)
        return Cheap(
            grown_bytes=(anonymous + fields.get(b"RssShmem", 0)) * _KB,
            descriptors=_open_descriptors(),
            threads=fields.get(b"Threads", 1),
            rss_bytes=resident * _KB,
        )

    def full(self) -> Full:
        """Return private and shared memory of this process."""
        return sum_up(fields_of(_read("self/smaps_rollup")))

    def census(self) -> tuple[Counter[tuple[str, str]], set[str]]:
        """Return what each descriptor points to, grouped."""
        return descriptors.census()

    def children(self, apart: Iterable[int] = ()) -> Kin:
        """Return what the processes below this one take."""
        found = sorted(set(_offspring(os.getpid(), set(apart))))
        weighed = []
        for pid in found[:WEIGHED]:
            with contextlib.suppress(OSError):  # ended since, or of another user
                weighed.append(fields_of(_read(f"{pid}/smaps_rollup")).get("Pss", 0))
        return Kin(len(found), round(sum(weighed) / max(1, len(weighed)) * len(found)))

    def below(self, root: int) -> list[int]:
        """Return the processes that came from `root`; those that lost their parent are found by their session."""
        parents: dict[int, int] = {}
        sessions: dict[int, int] = {}
        for name in os.listdir(PROC):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    state, parent, _, session = _stat(int(name))
                    if state != "Z":
                        parents[int(name)], sessions[int(name)] = parent, session
        found: set[int] = set()
        waiting = [root]
        while waiting:
            one = waiting.pop()
            fresh = [pid for pid, parent in parents.items() if parent == one and pid not in found]
            found.update(fresh)
            waiting += fresh
        mine = os.getsid(root)
        lost = {
            pid for pid, session in sessions.items() if session == mine and parents[pid] == 1 and pid != mine
        }
        return sorted((found | lost) - {root})


def sum_up(fields: dict[str, int]) -> Full:
    """Return the sums that matter of the fields of ``smaps_rollup``."""
    return Full(
        uss_bytes=fields.get("Private_Clean", 0) + fields.get("Private_Dirty", 0),
        pss_bytes=fields.get("Pss", 0),
    )


def fields_of(text: bytes) -> dict[str, int]:
    """Return the ``Name: number kB`` lines of a file of ``/proc``, in bytes."""
    found = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(b":")
        value = rest.split()
        if colon and value and value[0].isdigit():
            found[name.decode(errors="replace")] = int(value[0]) * _KB
    return found


def _open_descriptors() -> int:
    # Newer kernels (6.2) tell the number as the size of the folder; else it is counted, our own look left out.
    return os.stat(f"{PROC}/self/fd").st_size or len(os.listdir(f"{PROC}/self/fd")) - 1


def _offspring(root: int, apart: set[int]) -> Iterator[int]:
    """Yield the processes below `root`; a thread's list names those that it started."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        with contextlib.suppress(OSError):  # ended since, or a kernel without these lists
            for thread in os.listdir(f"{PROC}/{one}/task"):
                with contextlib.suppress(OSError):
                    named = map(int, _read(f"{one}/task/{thread}/children").split())
                    fresh = [pid for pid in named if pid not in apart and _stat(pid)[0] != "Z"]
                    waiting += fresh
                    yield from fresh


def _stat(pid: int) -> tuple[str, int, int, int]:
    """Return state, parent, group and session of a process."""
    rest = _read(f"{pid}/stat").rpartition(b")")[2].split()
    return rest[0].decode(), int(rest[1]), int(rest[2]), int(rest[3])


def _read(name: str) -> bytes:
    descriptor = os.open(f"{PROC}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
