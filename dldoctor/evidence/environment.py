"""What the machine offers, and what the loader needs of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ThreadSetting:
    """How many threads a library takes in each process."""

    library: str
    """``OpenMP``, ``MKL``, ``OpenCV``, ``tokenizers``, ``torch``."""
    value: str
    """As set; empty where nothing is set and the library decides by the cores that it sees."""
    source: str
    """Environment variable, or the call that told."""


@dataclass(frozen=True)
class GpuState:
    """One GPU, by NVML."""

    name: str
    memory_bytes: int
    memory_used_bytes: int
    utilization: float | None
    """Share of the last second in which any kernel ran; it says nothing about how busy the chip was."""
    pcie: str
    """``gen 4 x16 (of gen 4 x16)``: the link now and at its best."""


@dataclass(frozen=True)
class StorageEvidence:
    """The storage below some files of the data, measured by reading a bounded part of them."""

    path: str
    """Folder of the files."""
    filesystem: str
    device: str
    network: bool
    files: int
    bytes: int
    """Bytes that the measurement read each time."""
    cold_bytes_per_s: float | None
    """Sequential; null where the page cache could not be emptied, or the file system is memory."""
    warm_bytes_per_s: float | None
    cold_reads_per_s: float | None
    """Random reads of 64 KiB."""
    warm_reads_per_s: float | None
    note: str = ""
    """Why a number is missing."""


@dataclass(frozen=True)
class FolderNeed:
    """What the samples took from the files of one folder."""

    path: str
    opened: int
    """How often one of its files was opened."""
    bytes: int
    """Estimated by the sizes of those files, no more than was read in all; what libraries open unseen is missing."""


@dataclass(frozen=True)
class NeedsEvidence:
    """What one process of the loader needs, from reading some samples without workers."""

    samples: int
    seconds: float
    read_bytes: int
    """Bytes that reading the samples asked of files."""
    files: int
    """Files opened."""
    paths: tuple[str, ...]
    batch_tensors: int
    batch_bytes: int
    cores: int | None
    """Cores that the process may use once the target was imported."""
    threads: tuple[ThreadSetting, ...] = ()
    unpicklable: str | None = None
    """What cannot be sent to a worker that is not forked; null where all can."""
    unpicklable_kind: str = ""
    """What kind of thing that is (``lambda``, ``module``, ``open file``, ``other``, ...)."""
    default_start_method: str = ""
    """Default in force once the target was imported."""
    folders: tuple[FolderNeed, ...] = ()
    """The folders from which most files were opened."""


@dataclass(frozen=True)
class EnvironmentEvidence:
    """The machine as a process of ours sees it."""

    cores_total: int
    cores_physical: int | None
    cores_affinity: int
    cores_quota: float | None
    """Cores that the cgroup grants; null where it grants all."""
    numa_nodes: int
    foreign_cores: float | None
    """Cores that other processes kept busy during a short look."""
    load_average: float | None
    memory_total_bytes: int
    memory_limit_bytes: int
    memory_available_bytes: int
    shm_free_bytes: int | None
    shm_total_bytes: int | None
    open_files_soft: int | None
    open_files_hard: int | None
    locked_memory_bytes: int | None
    """``ulimit -l``; null where there is no limit."""
    start_method: str
    """Default of this Python."""
    python: str
    torch: str | None
    threads: tuple[ThreadSetting, ...] = ()
    gpus: tuple[GpuState, ...] = ()
    storage: tuple[StorageEvidence, ...] = ()

    @property
    def cores_usable(self) -> float:
        """Cores that may be used: affinity and quota, the smaller."""
        return (
            float(self.cores_affinity)
            if self.cores_quota is None
            else min(self.cores_affinity, self.cores_quota)
        )
