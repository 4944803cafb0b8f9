"""Which items an epoch delivers, to which rank and worker, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SourceRef


@dataclass(frozen=True)
class WorkerShare:
    """What one worker of one rank delivered in one epoch."""

    worker: int
    """0 without workers."""
    items: int
    batches: int
    tail: int = 0
    """Items of its last batch."""
    dropped: int = 0
    """Items that it read and left out, because the last batch was not full."""
    first: tuple[str, ...] = ()
    """Its first items."""


@dataclass(frozen=True)
class RankEpoch:
    """One epoch of one rank."""

    epoch: int
    items: int
    batches: int
    distinct: int
    """Different items among them."""
    order: str = ""
    """Digest of the items in their order; equal orders have equal digests."""
    first: tuple[str, ...] = ()
    tail: int = 0
    """Items of the last batch."""
    dropped: int = 0
    """Items that `drop_last` left out, the workers' own tails together."""
    complete: bool = True
    """The epoch came to its end by itself."""
    elapsed_ns: int = 0
    workers: tuple[WorkerShare, ...] = ()


@dataclass(frozen=True)
class RankCoverage:
    """One rank; `items` and `batches` are those of its first epoch."""

    rank: int
    items: int
    batches: int
    state: Literal["run", "computed", "raised", "stuck", "died"] = "run"
    """`computed`: by the arithmetic of torch's own sampler, not run; `stuck`: nothing moved within
    the deadline, and it was ended."""
    error: str | None = None
    """What it raised, or how it ended."""
    where: SourceRef | None = None
    """The user's innermost frame, where one is known."""
    epochs: tuple[RankEpoch, ...] = ()
    picture: tuple[tuple[float, ...], ...] = ()
    """For each epoch, the share of each stretch of the items that this rank was given."""


@dataclass(frozen=True)
class EpochCoverage:
    """One epoch, all ranks together."""

    epoch: int
    issued: int
    """Items delivered, repeats included."""
    distinct: int
    never: int
    """Expected items that no rank was given."""
    once: int
    more: int
    missing: tuple[str, ...] = ()
    """Some of those that were never delivered."""
    repeated: tuple[str, ...] = ()
    """Some of those that were delivered more than once."""
    dropped: int = 0
    """Never delivered because of `drop_last`, of the loader or of each worker."""
    cut_by_sampler: int = 0
    """Never drawn because the sampler evens out the ranks by leaving items out."""
    padded: int = 0
    """Drawn again because the sampler evens out the ranks by repeating items."""
    complete: bool = True
    """Every rank came to the end of this epoch by itself."""


@dataclass(frozen=True)
class Overlap:
    """Items that two ranks, or two workers of one rank, were both given in the first epoch."""

    a: int
    b: int
    shared: int
    smaller: int
    """Items of the one that has fewer."""
    rank: int | None = None
    """The rank whose workers they are; null between ranks."""

    @property
    def share(self) -> float:
        """Shared items of the smaller set."""
        return self.shared / self.smaller if self.smaller else 0.0


@dataclass(frozen=True)
class OrderEvidence:
    """Whether the order changes from epoch to epoch."""

    shuffles: bool | None
    """Null where it cannot be told whether an order at random is meant."""
    why: str
    """How that was told."""
    announced: tuple[str, ...] = ()
    """Where `set_epoch` was found and called (``sampler``, ``dataset``), or the user's own hook."""
    same: bool | None = None
    """The first two epochs had the same order, with the epoch announced; null with one epoch."""
    same_unannounced: bool | None = None
    """The same without `set_epoch` being called; null where that was not tried."""
    first: tuple[tuple[str, ...], ...] = ()
    """The first items of the first two epochs."""


@dataclass(frozen=True)
class SplitEvidence:
    """The part of a larger dataset that each rank drew for itself (`Subset`, `random_split`)."""

    size: int
    """Items that one rank has."""
    total: int
    """Items of the larger dataset."""
    distinct: int
    """Different items over all ranks; equals `size` when all drew the same part."""
    shared: int
    """The fewest items that two ranks have in common."""


@dataclass(frozen=True)
class DrawsEvidence:
    """Random numbers that samples are made with: the same items read by every rank."""

    reads: int
    """Reads compared between two ranks."""
    equal: int
    """Of them, those that gave the same content on both."""
    random: bool
    """An item gave other content when it was read again in the same worker."""
    pair: tuple[int, int] = (0, 1)


@dataclass(frozen=True)
class Work:
    """How much each rank has to do in a step: elements of its batch."""

    field: str
    """What is counted."""
    steps: int
    waiting: float
    """Share of the rank-time that the others spend waiting for the slowest, if time grows with it."""
    per_rank: tuple[float, ...] = ()
    """Mean elements in a step, rank by rank."""
    errors: tuple[float, ...] = ()
    """Standard error of each mean."""


@dataclass(frozen=True)
class Mix:
    """How the values of one label or source are spread over batches; 0 as if drawn at random, 1 one alone."""

    field: str
    values: int
    """Different values among all samples that were looked at."""
    samples: int
    batches: int
    window: int
    """Batches that one worker makes in a row; of a map-style loader those that it delivers in a row."""
    windows: int
    in_batch: float
    """Within single batches."""
    in_next: float
    """Between a batch and the next one of the same worker: high where the order follows the values, or a
    worker has only some of them; 0 where batches of one value each come in an order at random."""
    chance: float = 0.0
    """Standard error of `in_next` in such an order."""
    in_rank: float | None = None
    """Within single ranks; null with one rank."""
    values_in_window: float = 0.0
    """Mean of different values in a window."""
    values_expected: float = 0.0
    """The same if the order were random."""
    first: tuple[str, ...] = ()
    """What the first batches of the first rank hold."""


@dataclass(frozen=True)
class CoverageEvidence:
    """Every item, rank, worker and epoch; the totals are those of the first epoch."""

    items: int
    """Items that an epoch should deliver."""
    seen_never: int
    seen_once: int
    seen_more: int
    ranks: tuple[RankCoverage, ...]
    world_size: int
    ran: int
    """Ranks that ran for real; the others are `computed`, or not known."""
    by: Literal["index", "own-id", "content", "nothing"]
    """How items were told apart; `nothing` where each read of a stream gives other content."""
    expected_from: str = "length"
    """Where `items` comes from: the length, or one process without workers that read everything."""
    reference_size: int | None = None
    """Different items that one process alone was given; null where that was not tried."""
    reference_repeats: int = 0
    """Items that this one process was given more than once: the data itself repeats them."""
    never_in_any: int | None = None
    """Items that none of the epochs delivered; null where fewer than two epochs are known as a whole."""
    beyond_reference: int = 0
    """Items that ranks delivered and this one process did not: what it leaves out is left to chance."""
    dataset_size: int | None = None
    """Items of the innermost dataset; null where it has no length."""
    exact: bool = True
    """False where a part of the ids stands for all, because there are too many."""
    sampled_share: float = 1.0
    epochs: tuple[EpochCoverage, ...] = ()
    rank_overlaps: tuple[Overlap, ...] = ()
    worker_overlaps: tuple[Overlap, ...] = ()
    repeats_inside: int = 0
    """Items that one worker alone delivered more than once in the first epoch."""
    order: OrderEvidence | None = None
    split: SplitEvidence | None = None
    draws: DrawsEvidence | None = None
    work: Work | None = None
    mixes: tuple[Mix, ...] = ()
    """Labels and sources of the samples, over some hundred batches of the first epoch."""
    shards_by: tuple[str, ...] = ()
    """How the target takes notice of ranks (``RANK``, ``torch.distributed``, ``DistributedSampler``)."""
    launch: Literal["environment", "gloo", "fake"] = "environment"
    """What each rank found: variables alone, a real process group, or a stand-in without traffic."""
    notes: tuple[str, ...] = ()
    """What was assumed or left out, one sentence each."""

    @property
    def partial(self) -> bool:
        """Whether ranks are missing from the totals."""
        known = sum(1 for rank in self.ranks if rank.state in ("run", "computed"))
        return known < self.world_size
