"""The limits of this machine as this process is allowed to use it."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
from pathlib import Path

import psutil

from dldoctor.cores import CGROUP, MEMBERSHIP, cores_allowed, groups
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.intent import Limits

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's shared memory, only measured


def measure(limits: Limits, python: str = "", torch: str | None = None) -> MachineEvidence:
    """Return the machine's limits, with those that the user declared in their place."""
    declared = []
    memory = memory_limit_bytes()
    available = min(memory, psutil.virtual_memory().available)
    if limits.memory_limit_bytes is not None:
        declared.append("memory_limit_bytes")
        memory = limits.memory_limit_bytes
        available = min(available, memory)
    free, total = shared_memory_bytes()
    if limits.shm_bytes is not None:
        declared.append("shm_bytes")
        free = total = limits.shm_bytes
    return MachineEvidence(
        cores=cores_allowed(),
        cores_total=os.cpu_count() or 1,
        memory_limit_bytes=memory,
        memory_available_bytes=available,
        shm_free_bytes=free,
        shm_total_bytes=total,
        open_files_limit=open_files_limit(),
        ranks=limits.ranks or 1,
        python=python,
        torch=torch,
        platform=f"{platform.system()} {platform.release()}",
        gpus=gpus(),
        declared=tuple(declared),
    )


def memory_limit_bytes(root: Path = CGROUP, membership: Path = MEMBERSHIP) -> int:
    """Return the memory allowed: the tightest limit of our cgroups (v1 and v2), or physical memory."""
    limits = [int(psutil.virtual_memory().total)]
    files = [folder / "memory.max" for folder in groups(root, membership, controller="")]
    files += [
        folder / "memory.limit_in_bytes"
        for folder in groups(root / "memory", membership, controller="memory")
    ]
    for path in files:
        with contextlib.suppress(OSError, ValueError):  # ``max`` is no number, and no limit
            limits.append(int(path.read_text()))
    return min(limits)


def shared_memory_bytes() -> tuple[int | None, int | None]:
    """Return free and total bytes of shared memory; null where the system has no such folder."""
    if not _SHARED_MEMORY.is_dir():
        return None, None
    usage = shutil.disk_usage(_SHARED_MEMORY)
    return usage.free, usage.total


def open_files_limit() -> int | None:
    """Return how many files a process may hold open; null where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def gpus() -> tuple[str, ...]:
    """Return the names of NVIDIA's GPUs, by NVML; empty where there is none or no driver."""
    try:
        import pynvml
    except ImportError:
        return ()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        names = [pynvml.nvmlDeviceGetName(handle) for handle in handles]
        return tuple(name.decode() if isinstance(name, bytes) else str(name) for name in names)
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()
