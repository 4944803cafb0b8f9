"""How memory, descriptors, threads and processes went while the loader ran over the same data again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.memory_cause import GrowingContainer, Holding, MemoryCause, NativeTrace

MemoryVerdict = Literal[
    "leak", "copy-on-write", "plateau", "saw-tooth", "allocator", "consumer", "not-enough-data"
]
"""What the growth of a process is; `plateau` is also a process that does not grow at all."""


@dataclass(frozen=True)
class MemoryPoint:
    """The counters of one process at one batch boundary."""

    batch: int
    """Batches that this process had finished in the whole run."""
    epoch: int
    samples: int
    """Samples that it had finished in the whole run."""
    at_s: float
    """Seconds since the run began."""
    uss_bytes: int
    """Private memory: what ends with the process."""
    rss_bytes: int
    pss_bytes: int
    """Private memory and its share of the rest; the sum over processes is the true footprint."""
    shared_bytes: int
    descriptors: int
    threads: int
    life: int = 0
    """As in `FinePoint`."""
    children: int = 0
    """Processes that it had started, workers of the loader left out."""
    children_bytes: int = 0
    """Private memory of those and their share of the rest."""
    full: bool = True
    """Private memory was read at this point; else it lies between the readings before and after it,
    moved by what was mapped meanwhile. Resident memory, descriptors and threads are always read."""


@dataclass(frozen=True)
class FinePoint:
    """The cheap counters of one process at one batch boundary; there are more of these."""

    batch: int
    epoch: int
    turn: int
    """How often the same indices had been read by this process before (0: first time)."""
    life: int
    """Which process it was: workers that are not persistent start afresh in each epoch."""
    samples: int
    grown_bytes: int
    """Anonymous and shared-memory pages that are mapped. Copying on write does not change it, and
    neither do files that are mapped, so that only real growth shows."""
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Slope:
    """A rate with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Growth:
    """What a process's series says."""

    verdict: MemoryVerdict
    per_1000_samples: Slope | None = None
    """Bytes, after every index had been read once; null where there was too little to fit."""
    first_per_1000_samples: float | None = None
    """Bytes while the indices were read for the first time."""
    rise_bytes: int = 0
    """From the first boundary to the highest one, of `FinePoint.grown_bytes`."""
    copied_bytes: int = 0
    """Private memory that rose while shared memory fell by as much: copied on write."""
    released_bytes: int = 0
    """What the allocator gave back when it was asked to at the end."""
    model: Literal["constant", "step", "saturating", "linear"] | None = None
    """The model with the lowest AICc on block medians."""
    more_samples: int | None = None
    """How many more samples it would take to tell; null where it could be told."""


@dataclass(frozen=True)
class DescriptorGrowth:
    """Open descriptors of one kind in one process."""

    kind: Literal["file", "socket", "pipe", "shared-memory", "other"]
    pattern: str
    """Path with what varies replaced, ``data/images/*.png``; the kind where there is no path."""
    first: int
    last: int


@dataclass(frozen=True)
class ProcessMemory:
    """One process of the loader: the main process, or all lives of one worker."""

    role: Literal["main", "worker"]
    worker: int | None
    series: tuple[MemoryPoint, ...]
    """Points with private and shared memory, thinned to a few dozen."""
    growth: Growth
    fine: tuple[FinePoint, ...] = ()
    lives: int = 1
    descriptors_per_1000_samples: Slope | None = None
    """After every index had been read once; shared memory of batches under way left out."""
    descriptors_first_per_1000_samples: float | None = None
    """While the indices were read for the first time."""
    descriptors_per_epoch: float | None = None
    """From one epoch to the next, the share of its samples left out; null where that cannot be told apart."""
    descriptors_collected: int = 0
    """Given back by the garbage collector when all was over: reference cycles had held them until then."""
    descriptors_by: tuple[DescriptorGrowth, ...] = ()
    """Kinds that rose, the largest rise first."""
    threads_first: int = 0
    threads_last: int = 0
    own_ns: int = 0
    """CPU time of our observation in it."""
    cpu_ns: int = 0
    """CPU time of the process, ours included."""


@dataclass(frozen=True)
class ConsumerGrowth:
    """Growth of the main process with the consumer of `--step`, beside the loader alone."""

    batches: int
    bytes_per_batch: Slope
    alone_bytes_per_batch: float
    """The same without the consumer."""
    descriptors_per_batch: Slope
    alone_descriptors_per_batch: float
    step: str


@dataclass(frozen=True)
class EpochTasks:
    """Threads and processes that lived when an epoch was over."""

    epoch: int
    threads: int
    """Of the main process."""
    processes: int
    """All that the run had started; workers that are to stay included."""
    thread_names: tuple[str, ...] = ()
    process_names: tuple[str, ...] = ()
    cut: bool = False
    """The epoch was left before the data came to their end, as a `break` in the training loop does."""


@dataclass(frozen=True)
class Segment:
    """A segment of shared memory that no living process holds."""

    name: str
    bytes: int
    owner: int | None
    """Process that its name tells."""
    ours: bool
    """It came into being during this run, by a process of it."""


@dataclass(frozen=True)
class MemoryEvidence:
    """One run over the same batches, epoch after epoch."""

    verdict: MemoryVerdict
    processes: tuple[ProcessMemory, ...]
    epochs: int
    turns: int
    """How often the same indices were read, all epochs together."""
    batches_per_turn: int
    samples_per_turn: int
    persistent: bool
    """Workers lived on from epoch to epoch; true without workers."""
    peak_bytes: int
    """Largest sum of PSS over all processes: what the loader really takes."""
    main_peak_bytes: int
    worker_peak_bytes: int
    """Largest private memory of one worker."""
    batch_bytes: int
    batch_tensors: int
    containers: tuple[GrowingContainer, ...] = ()
    cause: MemoryCause | None = None
    native: NativeTrace | None = None
    """Null where `--memray` was not given."""
    holdings: tuple[Holding, ...] = ()
    consumer: ConsumerGrowth | None = None
    tasks: tuple[EpochTasks, ...] = ()
    segments: tuple[Segment, ...] = ()
    ended: str | None = None
    """Why the run ended early; null where it did not."""
    started_at_s: float = 0.0
    """Unix time of the start; files for `mprof` need it."""

    @property
    def overhead_share(self) -> float:
        """CPU time of our observation over that of the processes."""
        total = sum(process.cpu_ns for process in self.processes)
        return sum(process.own_ns for process in self.processes) / total if total else 0.0

    @property
    def main(self) -> ProcessMemory | None:
        """The main process, if it was seen."""
        return next((one for one in self.processes if one.role == "main"), None)

    @property
    def workers(self) -> tuple[ProcessMemory, ...]:
        """The workers, by number."""
        return tuple(one for one in self.processes if one.role == "worker")
