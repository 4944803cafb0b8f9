"""The surface of rates over loader settings: predicted, measured, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class SweepRates:
    """The four numbers, in batches per second."""

    loader: float | None = None
    """The loader as it is set now, its batches taken as they come."""
    consumer: float | None = None
    """The consumer, if a batch were always ready; null without one."""
    cores: float | None = None
    """What these cores allow, with as many workers as it takes."""
    free: float | None = None
    """The consumer's loop over batches that were read before; null without a consumer."""
    loader_low: float | None = None
    loader_high: float | None = None
    """90% interval of `loader`."""


@dataclass(frozen=True)
class SweepPoint:
    """One setting. Rates are batches per second of loader and consumer together."""

    num_workers: int
    prefetch_factor: int | None
    """Null without workers."""
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    """90% interval of `predicted`."""
    measured: float | None = None
    """Mean of the runs at this setting; null where none was made."""
    wait_share: float | None = None
    """Share of the step spent waiting for data: measured, else predicted; null without a consumer."""
    gpu_utilization: float | None = None
    """NVML's share of time in which a kernel ran, while measured; null without a GPU."""
    measured_low: float | None = None
    measured_high: float | None = None
    bottleneck: str = ""
    """`workers` (too few), `cores`, `hand-over` (the main process), `order` (a late batch holds up
    the others) or `consumer`."""
    memory_bytes: int | None = None
    """Of all ranks on this host."""
    shm_bytes: int | None = None
    descriptors: int | None = None
    """Open files of the main process."""
    refused: str | None = None
    """Why the machine cannot hold this setting; null where it can."""


@dataclass(frozen=True)
class SweepGain:
    """Rate of the tried setting over the current one, less one, from paired runs in turn."""

    value: float
    low: float
    high: float
    """90% interval."""
    num_workers: int = 0
    prefetch_factor: int | None = None
    """The setting that was tried."""
    pairs: tuple[float, ...] = ()


@dataclass(frozen=True)
class SweepConsumer:
    """What took the batches."""

    kind: Literal["none", "simulated", "step", "trace"] = "none"
    """`simulated`: a wait of the declared length; `step`: the user's own step; `trace`: a wait of
    the lengths that a profiler's trace shows."""
    step_ns: int = 0
    """Mean step, as it was carried out."""
    host_ns: int = 0
    """CPU time of the main process in it."""
    source: str = ""
    device: str = ""


@dataclass(frozen=True)
class SweepRun:
    """One measured run in a process of its own."""

    what: str
    """`profile`, `probe`, `current`, `pick`, `grid`."""
    num_workers: int
    prefetch_factor: int | None
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    batches: int = 0
    """Deliveries that were counted; the first workers x prefetch are not."""
    seconds: float = 0.0
    wait_share: float | None = None
    foreign_cores: float = 0.0
    """Cores that other programs took from this run."""
    runqueue_share: float = 0.0
    """Share of the time in which a process of the loader was ready to run and had no core."""
    impact: float = 0.0
    """How much of the run's time foreign work took, at most."""
    own_cores: float = 0.0
    tries: int = 1
    disturbed: bool = False
    startup_ns: int = 0
    """From ``iter()`` to the first batch."""
    consumer: bool = False
    """Whether the consumer ran; without it batches were taken as they came."""
    note: str = ""


@dataclass(frozen=True)
class SweepTrial:
    """Another setting of the loader, tried at the recommended point."""

    name: str
    value: str
    gain: float
    low: float
    high: float


@dataclass(frozen=True)
class SweepEvidence:
    """All that a sweep measured, and what it concludes."""

    rates: SweepRates
    points: tuple[SweepPoint, ...]
    recommended: dict[str, Any] | None
    """Loader arguments; null when the machine is too noisy to say, or nothing was compared."""
    gain: SweepGain | None = None
    """Null where the current setting was not compared with another."""
    verdict: str = "keep"
    """`change`, `fewer` (as fast with fewer workers), `keep`, `cores-full`, `too-noisy`,
    `predicted` (not verified) or `check` (only the current setting was measured)."""
    current: dict[str, Any] | None = None
    consumer: SweepConsumer = SweepConsumer()
    runs: tuple[SweepRun, ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    """Settings (workers, prefetch) that are as good as the recommended one."""
    keeps_up: bool = False
    """The recommended setting keeps the consumer busy, with 90% confidence."""
    cores: float = 0.0
    """Cores for one rank."""
    cores_seen: float = 0.0
    """Cores that torch takes into account for its own suggestion: it does not see a quota."""
    ranks: int = 1
    batch_size: int | None = None
    batch_bytes: int = 0
    batch_cpu_ns: int = 0
    """CPU time of one batch, in one process."""
    batch_blocked_ns: int = 0
    """Time of one batch that needs no core: storage, network, a lock, a sleep."""
    cold_ns: int | None = None
    """Time of one batch read for the first time; null where that was not told apart."""
    warm_ns: int | None = None
    """The same batches read once more, in a fresh process."""
    in_memory: bool = False
    """A sample costs so little that handing a batch over costs more than making it."""
    hand_over_ns: int = 0
    """CPU time that a batch costs more with workers: serialising, queues, receiving."""
    threads: float | None = None
    """Cores that one process keeps busy while it makes batches."""
    trials: tuple[SweepTrial, ...] = ()
    seconds: float = 0.0
    noise: float = 0.0
    """Median over the runs of `SweepRun.impact`."""
    noisy: bool = False
    """Runs stayed disturbed after they were repeated."""
    wait_share: float | None = None
    wait_low: float | None = None
    wait_high: float | None = None
    """Share of the step that the consumer waits under the current setting, with its 90% interval."""

    def point(self, workers: int, prefetch: int | None) -> SweepPoint | None:
        """Return the point of a setting."""
        return next(
            (
                p
                for p in self.points
                if p.num_workers == workers and (not workers or p.prefetch_factor == prefetch)
            ),
            None,
        )
