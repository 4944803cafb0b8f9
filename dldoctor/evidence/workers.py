"""Whether anything changes with workers, epochs and seeds; each experiment ran in processes of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dldoctor.finding import SampleId, SourceRef


@dataclass(frozen=True)
class Draws:
    """One thing that was watched while several workers read the same item several times over."""

    source: Literal["field", "pinned", "generator", "global"]
    """`field`: a field of the sample or batch; `pinned`: the same with the global generators set alike
    before each read; `generator`: the state of a generator that an object of the user's keeps; `global`:
    the state of a global generator when a worker starts."""
    path: str
    drawn: int
    """Values that were compared, all workers and epochs together; of items that vary only."""
    distinct: int
    """Different ones among them."""
    by_call: int
    """Most different values that one worker saw in one epoch for one and the same item; 1 is a
    deterministic item."""
    across_workers: bool
    """All workers saw the same values in the same order, in each epoch."""
    across_epochs: bool
    """Each worker saw the same values in the same order in both epochs."""
    chance: float
    """How probable it is that independent draws would agree so far by chance alone."""
    seed_blind: bool = False
    """The same values came with another seed in the main process too (`global` only)."""
    shown: tuple[tuple[str, ...], ...] = ()
    """The first values: one row a worker of the first epoch, then of the second."""
    made: bool = False
    """A generator that was made, or a global one that was seeded, while items were read: in each worker
    anew, not copied from the main process."""
    fields: tuple[str, ...] = ()
    """Fields of a stream's samples whose content it was shown to make."""


@dataclass(frozen=True)
class RandomnessEvidence:
    """The same items read by several workers, in two epochs, in the same order by each."""

    workers: int
    forced: bool
    """The loader has fewer than two workers; these were given to it for the experiment."""
    epochs: int
    reads: int
    """Reads of an item by one worker in one epoch."""
    indices: tuple[int, ...]
    persistent: bool
    start_method: str
    draws: tuple[Draws, ...] = ()
    init_fn: str | None = None
    init_ref: SourceRef | None = None
    failed: str | None = None
    """What a read raised; the experiment then says nothing."""
    eval_values: tuple[EvalValue, ...] = ()
    shared_dataset: str | None = None
    """Type of the dataset that this loader's split only borrows items from (``random_split``)."""


@dataclass(frozen=True)
class EvalValue:
    """Values of one item, read several times with nothing pinned; of a stream, in two epochs of a worker."""

    index: SampleId
    path: str
    reads: int
    distinct: int
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class FirstDifference:
    """Where two runs part."""

    batch: int
    """From 0."""
    paths: tuple[str, ...]
    """Fields that differ there."""
    same_rows: bool = False
    """Both runs delivered the same batches in all, in another order."""


@dataclass(frozen=True)
class ReproductionEvidence:
    """Two runs in fresh interpreters, seeded alike before the target was imported."""

    seed: int
    batches: int
    """Batches compared."""
    difference: FirstDifference | None = None
    source: Literal["", "hash seed", "entropy", "clock", "order of completion", "workers", "unknown"] = ""
    """What made the difference: with this one thing held still two runs are equal."""
    tried: tuple[str, ...] = ()
    """What was held still, in order, to find the source."""
    hash_seed_fixed: bool = False
    """PYTHONHASHSEED was set by the user, and both runs had it."""
    in_order: bool = True
    failed: str | None = None
    started_at_import: SourceRef | None = None
    """A statement outside of any function that started a process while the target was imported."""


@dataclass(frozen=True)
class Handle:
    """Something opened that processes cannot share."""

    path: str
    """Attribute path, ``dataset.archive``."""
    kind: str
    """``open file``, ``zip archive``, ``SQLite connection``, ..."""
    file: str
    when: Literal["before", "after"] = "before"
    """`before`: open when the workers start; `after`: opened by the first read, in the process that reads."""
    reopened: bool = False
    """A read in another process replaced it by one of its own."""
    moved: bool = False
    """A read moved its position (`raw descriptor` and `open file` only): it is not only read with
    ``os.pread`` or as a memory map."""


@dataclass(frozen=True)
class HandlesEvidence:
    """What dataset, transforms and collate hold open, and which tensors of theirs lie on a device."""

    handles: tuple[Handle, ...] = ()
    on_device: tuple[tuple[str, str], ...] = ()
    """Path and device of tensors that are not on the CPU: stored (``dataset.mean``) or delivered
    (``sample.image``)."""
    objects: int = 0
    """Objects that the walk visited."""
    threads: tuple[str, ...] = ()
    """Python threads alive beside the main one when the loader's workers are forked."""
    pools: tuple[str, ...] = ()
    """Libraries with a thread pool of their own that does not survive a fork, and that is running."""


@dataclass(frozen=True)
class ChangedItem:
    """An item that came otherwise from workers."""

    index: SampleId
    path: str
    """Field, or ``(exception)`` where only one side raised."""
    worker: int
    error: str | None = None


@dataclass(frozen=True)
class WorkerDataEvidence:
    """The same items with pinned random numbers, read without workers and by several."""

    items: int
    workers: int
    start_method: str
    changed: int = 0
    examples: tuple[ChangedItem, ...] = ()
    paths: dict[str, int] = field(default_factory=dict)
    """Field to the number of items in which it changed."""
    by_order: bool = False
    """Without workers too, the values depend on what was read before (a counter, a cache)."""
    unpinned: tuple[str, ...] = ()
    """Fields that differ between two runs without workers; they were not compared."""
    provoked: tuple[str, ...] = ()
    """Shared handles into whose reads pauses were put."""
    failed: str | None = None


@dataclass(frozen=True)
class Travel:
    """One attribute that the main process changes between epochs."""

    path: str
    parent: tuple[str, ...]
    """Its value in the main process when the first batch of each epoch was there."""
    workers: tuple[str, ...]
    """Its value in the worker that made that batch."""


@dataclass(frozen=True)
class CopiesEvidence:
    """Epochs begun as the training loop begins them, and what the workers knew of it."""

    epochs: int
    workers: int
    persistent: bool
    called: tuple[str, ...] = ()
    """What was called before each epoch (``dataset.set_epoch``)."""
    travels: tuple[Travel, ...] = ()
    matters: bool = False
    """With the state of the last epoch an item has other content than with that of the first."""
    failed: str | None = None


@dataclass(frozen=True)
class Unpicklable:
    """One leaf that cannot be sent to a worker."""

    path: str
    kind: str
    """``lambda``, ``local function``, ``open file``, ``generator``, ``lock``, ``module``, ``other``."""
    error: str
    where: SourceRef | None = None


@dataclass(frozen=True)
class Part:
    """What one attribute costs when it is pickled."""

    path: str
    size_bytes: int
    took_ns: int


@dataclass(frozen=True)
class StartTrial:
    """Two workers started by one method, for one batch."""

    method: str
    outcome: Literal["works", "fails", "skipped"]
    error: str = ""
    first_batch_ns: int | None = None


@dataclass(frozen=True)
class StartMethodsEvidence:
    """What it takes to start the loader's workers under each start method."""

    in_force: str
    python: str
    default: str
    """Start method that this Python uses where none is chosen."""
    unpicklable: tuple[Unpicklable, ...] = ()
    parts: tuple[Part, ...] = ()
    """Attributes of the dataset and the functions, largest first."""
    size_bytes: int = 0
    took_ns: int = 0
    trials: tuple[StartTrial, ...] = ()


@dataclass(frozen=True)
class ResumeEvidence:
    """A loader stopped in the middle of an epoch, and continued from its state in another process."""

    stopped_after: int
    """Batches before the state was taken."""
    by: Literal["ids", "content"]
    expected: tuple[str, ...] = ()
    """What the loader delivered next when it was not stopped, a batch an entry."""
    delivered: tuple[str, ...] = ()
    from_start: bool = False
    """The first batches of the epoch came again."""
    failed: str | None = None


@dataclass(frozen=True)
class ColumnsEvidence:
    """Columns that a trainer removes before the collate sees them."""

    in_data: tuple[str, ...]
    in_signature: tuple[str, ...]
    read_by_collate: tuple[str, ...]
    """Columns that the collate looked for, seen by a recording dict that had all of them."""
    collate: str
    collate_ref: SourceRef | None = None
