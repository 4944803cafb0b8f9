"""What the memory evidence says: who grows, what explains it, and when a limit is hit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from dldoctor.checks.base import Case
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted, figure
from dldoctor.evidence.memory import MemoryEvidence, ProcessMemory, Slope
from dldoctor.evidence.memory_cause import Allocation, GrowingContainer

SMALL_PER_DESCRIPTOR = 64 * 1024
"""Memory that one kept file, socket or image object may take beside its descriptor."""
LEAST_DESCRIPTORS = 8


@dataclass(frozen=True)
class Leak:
    """Growth of bytes, over all processes that show it."""

    role: str
    """``main process`` or ``workers``."""
    per_1000_samples: Slope
    """Of one process, for samples that it reads itself."""
    resets: bool
    """Workers start afresh in each epoch, and the growth with them."""
    processes: int


def leak(case: Case) -> Leak | None:
    """Return the growth without end that nothing more specific explains."""
    memory = case.evidence.memory
    assert memory is not None
    growing = [
        one for one in memory.processes
        if one.growth.verdict in ("leak", "saw-tooth") and one.growth.per_1000_samples is not None
        and not _explained(one, memory)
    ]  # fmt: skip
    workers = [one for one in growing if one.role == "worker"]
    chosen = workers or growing
    slopes = [one.growth.per_1000_samples for one in chosen if one.growth.per_1000_samples is not None]
    if not slopes:
        return None
    each = Slope(
        sum(one.value for one in slopes) / len(slopes),
        min(one.low for one in slopes),
        max(one.high for one in slopes),
    )
    resets = all(one.growth.verdict == "saw-tooth" for one in chosen)
    return Leak("workers" if workers else "main process", each, resets, len(chosen))


def _explained(process: ProcessMemory, memory: MemoryEvidence) -> bool:
    """Whether kept descriptors, batches or threads account for the bytes."""
    slope = process.growth.per_1000_samples
    assert slope is not None
    descriptors = process.descriptors_per_1000_samples
    if descriptors is not None and descriptors.low > 0 and leaks_descriptors(process):
        if process.role == "main" and retained(process) is not None:
            return True
        if slope.value / descriptors.value < SMALL_PER_DESCRIPTOR:
            return True
    return bool(rising_tasks(memory)) and process.threads_last > process.threads_first + 2


def retained(process: ProcessMemory) -> int | None:
    """Return how many descriptors of shared memory the main process gained, where it keeps batches."""
    shared = [one for one in process.descriptors_by if one.kind == "shared-memory"]
    gained = sum(one.last - one.first for one in shared)
    slope = process.descriptors_per_1000_samples
    if process.role != "main" or slope is None or slope.low <= 0 or gained < LEAST_DESCRIPTORS:
        return None
    return None if gained_by_epochs(process) else gained


def gained_by_epochs(process: ProcessMemory) -> float | None:
    """Return the descriptors gained with each epoch, where that and not the samples accounts for most of them."""
    each, epochs = process.descriptors_per_epoch, len({point.epoch for point in process.fine}) - 1
    gained = sum(one.last - one.first for one in process.descriptors_by)
    return each if each is not None and 2 * each * epochs >= gained > 0 else None


def leaks_descriptors(process: ProcessMemory) -> bool:
    """Whether descriptors rose without end, whatever their kind."""
    slope = process.descriptors_per_1000_samples
    gained = sum(one.last - one.first for one in process.descriptors_by)
    return slope is not None and slope.low > 0 and gained >= LEAST_DESCRIPTORS


def rising_tasks(memory: MemoryEvidence) -> tuple[str, list[int]] | None:
    """Return what is more after each epoch (``threads``, ``processes``), with its counts."""
    for name in ("processes", "threads"):
        counts = [getattr(one, name) for one in memory.tasks]
        if _rises(counts):
            return name, counts
    for worker in memory.workers:
        by_epoch = {point.epoch: point.threads for point in worker.fine if point.life == 0}
        if worker.lives == 1 and _rises(list(by_epoch.values())):
            return f"threads of worker {worker.worker}", list(by_epoch.values())
    return None


def _rises(counts: list[int]) -> bool:
    return len(counts) >= 3 and all(b > a for a, b in pairwise(counts))


def culprit(memory: MemoryEvidence) -> GrowingContainer | None:
    """Return the container that gains with every sample, if there is one."""
    return next((one for one in memory.containers if one.again and one.per_sample >= 0.05), None)


def allocation(memory: MemoryEvidence, least_share: float = 0.3) -> Allocation | None:
    """Return the user's line that keeps most, where it accounts for a good part of the growth."""
    cause = memory.cause
    if cause is None or not cause.allocations:
        return None
    top = cause.allocations[0]
    whole = max(cause.rise_bytes, cause.python_bytes)
    return top if whole and top.kept_bytes >= least_share * whole else None


def native_allocation(memory: MemoryEvidence, least_share: float = 0.3) -> Allocation | None:
    """Return the user's line below which a library keeps memory, where memray saw it and it explains the growth."""
    native, cause = memory.native, memory.cause
    if native is None or not native.kept or not native.samples or cause is None or not cause.samples:
        return None
    grown = cause.rise_bytes / cause.samples * native.samples
    return native.kept[0] if native.kept[0].kept_bytes >= least_share * grown > 0 else None


def keeper(memory: MemoryEvidence) -> tuple[str, str]:
    """Return who keeps the memory as a clause, and the step to take."""
    container, line = culprit(memory), allocation(memory)
    place = f" at {line.where.path}:{line.where.line}" if line else ""
    if container is not None:
        gain = f"{container.first_length:,} to {container.last_length:,} entries"
        put = container.put_at
        return (
            f"; `{container.path}` grew from {gain}{f', put in at {put.path}:{put.line}' if put else ''}",
            f"Bound `{container.path}`, or do not keep what each sample leaves there.",
        )
    if line is not None:
        return f"; what is kept was allocated{place}", f"Look at what keeps the objects made{place}."
    line = native_allocation(memory)
    if line is not None:
        return (
            f"; memory that is kept was taken by what {line.where.path}:{line.where.line} calls",
            f"Close or free what {line.where.path}:{line.where.line} makes for each sample.",
        )
    cause = memory.cause
    if cause is not None and cause.rise_bytes > 2 * cause.python_bytes and cause.rise_bytes > 2**20:
        return (
            "; Python's own allocators hold little of it, so a library keeps native memory",
            "Close decoders, readers and images after each sample, and update the library that reads them.",
        )
    return "", "Look for a list, cache or reader that gains something with each sample."


def located(memory: MemoryEvidence) -> bool:
    """Whether a container or a line of the user's accounts for the growth."""
    return any((culprit(memory), allocation(memory), native_allocation(memory)))


def risen(memory: MemoryEvidence) -> int:
    """Return the most that one process gained over the run without end."""
    return max(
        (one.growth.rise_bytes for one in memory.processes if one.growth.verdict in ("leak", "saw-tooth")),
        default=0,
    )


def samples_until(limit: float, now: float, per_sample: float) -> int | None:
    """Return after how many samples a limit is reached; None where it is not."""
    return max(0, int((limit - now) / per_sample)) if per_sample > 0 and limit > 0 else None


def footprint(case: Case) -> int:
    """Return the memory of one rank as measured, with all batches that may be under way."""
    memory, spec = case.evidence.memory, case.evidence.loader
    assert memory is not None
    flying = 0
    if spec is not None and spec.num_workers:
        flying = spec.num_workers * (spec.prefetch_factor or 2) * memory.batch_bytes
    return memory.peak_bytes + flying


def keeps_first_readings(memory: MemoryEvidence) -> GrowingContainer | None:
    """Return the cache that gained an entry for most samples when they were read for the first time."""
    return next((one for one in memory.containers if not one.again and one.per_sample >= 0.2), None)


def per_1000(slope: Slope) -> str:
    """Return a rate of bytes with its interval, in MB per 1,000 samples."""
    low, value, high = (figure(v / 1e6) for v in (slope.low, slope.value, slope.high))
    return f"{value} MB per 1,000 samples (95% interval {low} to {high})"


def looked_at(memory: MemoryEvidence) -> str:
    """Return how much was read, for a message."""
    turns = counted(memory.turns, "time")
    return f"the same {memory.samples_per_turn:,} samples read {turns}"


__all__ = [
    "Leak", "allocation", "culprit", "footprint", "gained_by_epochs", "keeper", "keeps_first_readings", "leak", "leaks_descriptors", "located",
    "looked_at", "per_1000", "retained", "risen", "rising_tasks", "samples_until", "size",
]  # fmt: skip
