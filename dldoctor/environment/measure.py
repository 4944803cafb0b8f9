"""Put together what the machine offers."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import psutil

from dldoctor.cores import cores_seen, quotas
from dldoctor.environment import cores, gpus
from dldoctor.environment.storage import storage_of
from dldoctor.evidence.environment import EnvironmentEvidence, NeedsEvidence, ThreadSetting
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.machine import memory_limit_bytes, shared_memory_bytes

VARIABLES = {
    "OMP_NUM_THREADS": "OpenMP",
    "MKL_NUM_THREADS": "MKL",
    "OPENBLAS_NUM_THREADS": "OpenBLAS",
    "OPENCV_FOR_THREADS_NUM": "OpenCV",
    "TOKENIZERS_PARALLELISM": "tokenizers",
    "RAYON_NUM_THREADS": "tokenizers",
}
"""Environment variable to the library that reads it. Only values of these are ever shown."""


def environment(
    paths: Sequence[str] = (), *, python: str = "", torch: str | None = None, open_files: int | None = None
) -> EnvironmentEvidence:
    """Return the machine, with the storage below `paths`; `open_files` stands for a limit of another machine."""
    soft, hard = limits_of("RLIMIT_NOFILE")
    free, total = shared_memory_bytes()
    memory = psutil.virtual_memory()
    return EnvironmentEvidence(
        cores_total=os.cpu_count() or 1,
        cores_physical=cores.physical(),
        cores_affinity=int(cores_seen()),
        cores_quota=min(quotas(), default=None),
        numa_nodes=cores.numa_nodes(),
        foreign_cores=round(cores.foreign(), 2),
        load_average=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        memory_total_bytes=memory.total,
        memory_limit_bytes=memory_limit_bytes(),
        memory_available_bytes=memory.available,
        shm_free_bytes=free,
        shm_total_bytes=total,
        open_files_soft=soft if open_files is None else open_files,
        open_files_hard=hard,
        locked_memory_bytes=limits_of("RLIMIT_MEMLOCK")[0],
        start_method=multiprocessing.get_all_start_methods()[0],
        python=python,
        torch=torch or _installed("torch"),
        threads=thread_settings(os.environ),
        gpus=gpus.states(),
        storage=storage_of(paths),
    )


def environment_for(
    needs: NeedsEvidence | None, machine: MachineEvidence | None, options: Mapping[str, Any]
) -> EnvironmentEvidence:
    """Return the machine as one loader meets it: with the storage below the files that it opened."""
    return environment(
        needs.paths if needs is not None else (),
        python=machine.python if machine is not None else "",
        torch=machine.torch if machine is not None else None,
        open_files=options.get("open_files"),
    )


def limits_of(name: str) -> tuple[int | None, int | None]:
    """Return a resource limit, soft and hard; null where there is none."""
    try:
        import resource
    except ImportError:
        return None, None
    soft, hard = resource.getrlimit(getattr(resource, name))
    return tuple(None if value == resource.RLIM_INFINITY else value for value in (soft, hard))  # type: ignore[return-value]  # a pair


def thread_settings(variables: Mapping[str, str]) -> tuple[ThreadSetting, ...]:
    """Return what the environment says about the threads of libraries."""
    return tuple(ThreadSetting(library, variables.get(name, ""), name) for name, library in VARIABLES.items())


def _installed(name: str) -> str | None:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None
