"""The machine that the run happened on, and the limits it is judged against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MachineEvidence:
    """Limits as this process sees them, or as `--memory-limit`, `--shm-bytes` declare them."""

    cores: float
    """Cores that may be used: affinity and cgroup quota, the smaller."""
    cores_total: int
    memory_limit_bytes: int
    """Memory allowed: cgroup limit or physical memory, the smaller, or as declared."""
    memory_available_bytes: int
    shm_free_bytes: int | None = None
    """Free bytes of ``/dev/shm``, or as declared; null where there is none."""
    shm_total_bytes: int | None = None
    open_files_limit: int | None = None
    ranks: int = 1
    """Ranks that share this host, as declared by `--ranks`."""
    python: str = ""
    torch: str | None = None
    """Version of the torch that ran the user's code."""
    platform: str = ""
    gpus: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    """Which of the limits were declared instead of read."""
