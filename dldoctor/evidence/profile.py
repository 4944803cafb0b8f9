"""Where the time of a loader goes: stages, workers, the consumer's waits."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.payload import PayloadEvidence
from dldoctor.evidence.trial import Trial
from dldoctor.finding import SampleId


@dataclass(frozen=True)
class StageShare:
    """One stage of loading, all its statements together, per batch in the process that makes it."""

    stage: str
    """``storage read``, ``decode``, ``transform``, ``tokenise``, ``collate``, ``serialise``, ``other``; ``unseen``
    is time inside the user's code that no timer covers."""
    batch_ns: int
    """Mean per batch."""
    sample_ns: int
    """The same per sample."""
    share: float
    """Of the time that a batch takes in its process, waiting for a core left out, because that is the
    machine's doing; `low` to `high` is its 90% interval."""
    low: float
    high: float
    cpu_ns: int
    runqueue_ns: int
    blocked_ns: int
    """Neither on a core nor waiting for one: storage, network, a lock, a sleep."""
    typical_ns: int
    """Per sample, over samples that are not slow ones, waiting for a core left out."""
    typical_share: float
    """Share without the slow samples."""
    path: str = ""
    line: int = 0
    call: str = ""
    """The statement with most of it."""
    name: str = ""
    """The function of that statement."""


@dataclass(frozen=True)
class FreedStage:
    """What a stage keeps back: simulated with the times of this run, to a consumer that never waits."""

    stage: str
    times: float
    """How many times more batches a second came, if it cost nothing."""


@dataclass(frozen=True)
class WaitPart:
    """What the awaited batch was doing while the consumer waited for it."""

    what: str
    total_ns: int
    share: float
    """All parts sum to 1."""
    cpu_ns: int = 0
    runqueue_ns: int = 0
    blocked_ns: int = 0


@dataclass(frozen=True)
class Attribution:
    """The time that the consumer was blocked, cut by what the batch that it waited for was doing."""

    blocked_ns: int
    """Sum over the batches, the start apart."""
    parts: tuple[WaitPart, ...]
    ordering_ns: int
    """Part of it in which a later batch was ready: at most so much is due to delivery in order."""
    elapsed_ns: int
    """From the first delivery to the last."""
    covered: float = 1.0
    """Share of the blocked time that a phase explains."""


@dataclass(frozen=True)
class WorkerTime:
    """What one process did between the first delivery and the last."""

    worker: int
    """-1 for the main process."""
    batches: int
    samples: int
    busy_share: float
    """Share of the time in which it made a batch."""
    sample_ns: int
    """Mean."""
    runqueue_share: float
    """Of the time in which threads of it wanted a core: no core was free."""
    threads: float = 1.0
    """Threads that wanted a core at once, on average over the run."""
    cores: float = 0.0
    """Cores that it kept busy, all its threads together; 0 where it made fewer than two batches."""


@dataclass(frozen=True)
class OrderEvidence:
    """Slow samples, and what they cost; rates are of a simulation of this loader with its measured times."""

    median_ns: int
    slow_count: int
    """Samples above 10 times the median and above 20 ms."""
    slow_ns: int
    """Their total time."""
    samples: int
    rate: float
    """Batches per second as it is."""
    rate_any_order: float
    """With ``in_order=False``."""
    rate_without_slow: float
    """If slow samples took the median."""
    slow: tuple[SampleId, ...] = ()
    stage: str = ""
    """The stage in which they spend most of their time."""


@dataclass(frozen=True)
class StartEvidence:
    """What an epoch pays before its first batch."""

    first_batch_ns: int
    workers_ns: int
    """From ``iter()`` until a worker began its first sample."""
    overhead_ns: int
    """That, and what the first batch took to make above the usual; waiting for a core is left out."""
    epoch_ns: int | None
    """Expected length of an epoch; null where the number of batches is not known."""
    each_epoch: bool
    """Whether every epoch pays it again."""


@dataclass(frozen=True)
class StallEvidence:
    """Batches that took far longer than usual to make, and whether they come at a period."""

    batches: int
    stalls: int
    usual_ns: int
    stalled_ns: int
    """Mean of the stalled ones."""
    lost_ns: int
    period: int | None = None
    """In batches of one worker."""
    periods: int = 0
    explained: float = 0.0
    """Share of the stalls at that period."""
    stage: str = ""
    path: str = ""
    line: int = 0


@dataclass(frozen=True)
class ReopenedFile:
    """An archive or database that is opened again and again."""

    path: str
    opens_per_sample: float
    sample_ns: int
    """Time of opening, per sample."""
    share: float
    """Of a sample's time."""
    files: int = 1
    """Above 1 where the data lies in so many that are opened in turn; `path` is one of them."""


@dataclass(frozen=True)
class StorageEvidence:
    """What the processes that read samples asked of the system."""

    device_bytes: int
    """Bytes that came from a device; far below `asked_bytes`, the page cache served the rest."""
    asked_bytes: int
    files_per_sample: float
    """Files opened through Python."""
    reopened: tuple[ReopenedFile, ...] = ()


@dataclass(frozen=True)
class BatchTimes:
    """One batch on the common clock, nanoseconds since ``iter()``; 0 where a phase does not exist."""

    number: int
    worker: int
    issued_ns: int
    start_ns: int
    fetched_ns: int
    collated_ns: int
    sending_ns: int
    sent_ns: int
    receiving_ns: int
    received_ns: int
    pinned_ns: int
    asked_ns: int
    delivered_ns: int
    samples: tuple[tuple[str, int, int], ...] = ()
    """Id, start and end."""


@dataclass(frozen=True)
class ProfileEvidence:
    """One profiled run of the loader."""

    batches: int
    samples: int
    num_workers: int
    batch_ns: int
    """Mean time that a batch spends in the process that makes it: samples, collate, serialising."""
    gap_ns: int
    """Mean time between two deliveries."""
    stages: tuple[StageShare, ...] = ()
    attribution: Attribution | None = None
    workers: tuple[WorkerTime, ...] = ()
    order: OrderEvidence | None = None
    start: StartEvidence | None = None
    stalls: StallEvidence | None = None
    storage: StorageEvidence | None = None
    payload: PayloadEvidence | None = None
    decoded_pixels: float = 0.0
    """Median of how many times more pixels went into a resize than came out."""
    trials: tuple[Trial, ...] = ()
    timeline: tuple[BatchTimes, ...] = ()
    """The first batches, for the picture and the trace."""
    unseen: tuple[str, ...] = ()
    """What could not be looked into, and why."""
    freed: tuple[FreedStage, ...] = ()
    """Stages without which more batches would come."""

    def trial(self, name: str) -> Trial | None:
        """Return the trial of that name."""
        return next((one for one in self.trials if one.name == name), None)

    def stage(self, name: str) -> StageShare | None:
        """Return the share of a stage."""
        return next((one for one in self.stages if one.stage == name), None)
