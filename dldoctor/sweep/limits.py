"""Which settings the machine cannot hold: memory, shared memory, descriptors."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.sweep.model import Setting

MEMORY_SHARE = 0.7
"""Share of the memory allowed beyond which a setting is left out."""
HELD = 2
"""Batches that the consumer holds: the one of this step and the one before."""


@dataclass(frozen=True)
class Needs:
    """What one loader needs, as far as it was measured."""

    batch_bytes: float = 0.0
    tensor_bytes: float = 0.0
    """Bytes of a batch that cross through shared memory."""
    storages: float = 0.0
    """Tensors of a batch: each holds a descriptor while its batch is in flight."""
    worker_bytes: float = 0.0
    """Memory that a worker has for itself."""
    main_bytes: float = 0.0
    descriptors: int = 0
    """Open in the main process before any batch."""


@dataclass(frozen=True)
class Allowed:
    """What the host has for all its ranks; null where the system does not say."""

    memory_bytes: int | None = None
    shm_bytes: int | None = None
    descriptors: int | None = None
    """Of one process."""
    ranks: int = 1


@dataclass(frozen=True)
class Load:
    """What one setting takes on this host, all ranks together (descriptors: one rank)."""

    memory_bytes: int
    shm_bytes: int
    descriptors: int
    refused: str | None
    """Why the host cannot hold it."""


def load_of(setting: Setting, needs: Needs, allowed: Allowed) -> Load:
    """Return what a setting takes and, where that is too much, of what."""
    flying = setting.credits
    held = flying + HELD
    memory = allowed.ranks * (
        needs.main_bytes + setting.workers * needs.worker_bytes + held * needs.batch_bytes
    )
    shared = allowed.ranks * flying * needs.tensor_bytes
    open_files = (
        needs.descriptors + round((held if setting.workers else 0) * needs.storages) + 3 * setting.workers
    )
    refused = None
    if allowed.shm_bytes is not None and shared > allowed.shm_bytes:
        refused = f"needs {_size(shared)} of shared memory, {_size(allowed.shm_bytes)} is free"
    elif allowed.memory_bytes is not None and memory > MEMORY_SHARE * allowed.memory_bytes:
        refused = (
            f"needs {_size(memory)} of memory, more than 70% of the {_size(allowed.memory_bytes)} allowed"
        )
    elif allowed.descriptors is not None and open_files > allowed.descriptors:
        refused = f"needs {open_files} descriptors, {allowed.descriptors} are allowed"
    return Load(round(memory), round(shared), open_files, refused)


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
