"""Times of one run, in nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.distribution import Distribution
from dldoctor.finding import SampleId


@dataclass(frozen=True)
class SlowSample:
    """One of the slowest samples."""

    id: SampleId
    total_ns: int
    stage: str
    path: str = ""
    line: int = 0
    """The statement that took most of it; empty where statements were not timed."""


@dataclass(frozen=True)
class StageTime:
    """One statement of the user's code, one call of a library in it, or one phase of the hand-over."""

    name: str
    """Function, or phase."""
    stage: str
    path: str
    line: int
    calls: float
    own_ns: int
    """Means; without what is listed apart inside it."""
    total_ns: int
    cpu_ns: int
    runqueue_ns: int
    """Could run, and no core was free."""
    blocked_ns: int
    """Neither on a core nor waiting for one: storage, network, a lock, a sleep."""
    per: str
    """``sample`` or ``batch``."""
    call: str = ""
    """The statement's text, or what is called."""


@dataclass(frozen=True)
class Interval:
    """A value with its 90% interval from blocks of batches."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class TimingEvidence:
    """Per-sample times are wall time inside the dataset; per-batch times are between deliveries."""

    first_batch_ns: int
    """From ``iter()`` to the first batch: start of the workers and the first fetch."""
    batch_p50_ns: int
    """Between two deliveries, after the first ``workers x prefetch`` batches."""
    sample_p50_ns: int | None = None
    batches: Distribution | None = None
    samples: Distribution | None = None
    samples_per_s: Interval | None = None
    """Rate of the loader with a consumer that never makes it wait."""
    sample_p50: Interval | None = None
    """`sample_p50_ns` with its interval."""
    collate_p50_ns: int | None = None
    slowest: tuple[SlowSample, ...] = ()
    counted_batches: int = 0
    """Batches behind `batch_p50_ns` and the rate."""
    elapsed_ns: int = 0
    stages: tuple[StageTime, ...] = ()
    """The statements and phases that take most time, in the order in which a batch meets them."""
    overhead_ns: int = 0
    """CPU time that our own observation took, workers and main process together."""
    loader_cpu_ns: int = 0
    """CPU time of the user's code in the same processes."""
