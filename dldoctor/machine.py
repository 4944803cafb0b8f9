"""The limits of this machine as this process is allowed to use it."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
from pathlib import Path

import psutil

from dldoctor.evidence.machine import MachineEvidence
from dldoctor.intent import Limits

CGROUP = Path("/sys/fs/cgroup")
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


def cores_allowed(root: Path = CGROUP) -> float:
    """Return the cores that may be used: affinity or cgroup quota (v2, then v1), the smaller."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = float(len(affinity(0)) if affinity else os.cpu_count() or 1)
    for quota, period in (_quota_v2(root), _quota_v1(root)):
        if quota is not None and period:
            return min(cores, quota / period)
    return cores


def _quota_v2(root: Path) -> tuple[float | None, float]:
    with contextlib.suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text().split()
        if quota != "max":
            return float(quota), float(period)
    return None, 0.0


def _quota_v1(root: Path) -> tuple[float | None, float]:
    with contextlib.suppress(OSError, ValueError):
        quota = float((root / "cpu" / "cpu.cfs_quota_us").read_text())
        period = float((root / "cpu" / "cpu.cfs_period_us").read_text())
        if quota > 0:
            return quota, period
    return None, 0.0


def memory_limit_bytes(root: Path = CGROUP) -> int:
    """Return the memory allowed: cgroup limit (v2, then v1) or physical memory, the smaller."""
    physical = int(psutil.virtual_memory().total)
    for path in (root / "memory.max", root / "memory" / "memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            return min(physical, int(path.read_text()))
    return physical


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
