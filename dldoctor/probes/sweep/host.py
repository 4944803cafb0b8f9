"""What the host has, and what a process of it takes; read without any library."""

from __future__ import annotations

import contextlib
import os

from dldoctor.intent import Limits
from dldoctor.sweep.limits import Allowed

_MEMORY_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_SHARED = "/dev/shm"  # noqa: S108 - Linux's shared memory, only measured


def allowed(limits: Limits) -> Allowed:
    """Return the limits of the host, with those that the user declared in their place."""
    ranks = limits.ranks or 1
    memory = limits.memory_limit_bytes if limits.memory_limit_bytes is not None else _memory()
    shared = limits.shm_bytes if limits.shm_bytes is not None else _shared()
    return Allowed(memory, shared, _descriptors(), ranks)


def _memory() -> int | None:
    found = []
    with contextlib.suppress(ValueError, OSError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _MEMORY_FILES:
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            found.append(int(file.read()))
    return min(found, default=None)


def _shared() -> int | None:
    with contextlib.suppress(OSError, AttributeError):
        found = os.statvfs(_SHARED)
        return found.f_bavail * found.f_frsize
    return None


def _descriptors() -> int | None:
    with contextlib.suppress(ImportError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return None if soft == resource.RLIM_INFINITY else soft
    return None


def private_bytes(pid: int) -> float:
    """Return the memory that would come free with a process: its private pages."""
    total = 0
    with (
        contextlib.suppress(OSError, ValueError, IndexError),
        open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file,
    ):
        for line in file:
            if line.startswith("Private_"):
                total += int(line.split()[1]) * 1024
    return float(total)


def open_descriptors() -> int:
    """Return how many files this process holds open."""
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/fd"))
    return 0
