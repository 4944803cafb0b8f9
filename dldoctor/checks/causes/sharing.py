"""Why items come more than once or not at all when ranks and workers share them: one cause, told once.

The rules of coverage all read the same totals; which of them speaks is decided here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dldoctor.checks.base import Case
from dldoctor.evidence.coverage import CoverageEvidence, EpochCoverage, Mix, Overlap

SAME = 0.9
"""Share of common items from which on two ranks are given the same stream."""
HALF = 0.5
"""Share of common items from which on two workers are not split at all."""
LEFT_TO_CHANCE = 0.05
"""Share of a worker's part by which the counts of streams that leave items out by chance may differ."""
BEYOND_CHANCE = 5.0
"""Standard deviations of such counts from which on chance is no explanation."""
STRAY = 0.02
"""Share of common items up to which ranks are given different items (a sampler that pads repeats a few)."""


def unjudged(coverage: CoverageEvidence) -> str | None:
    """Return why nothing can be said about items, or None."""
    if coverage.by == "nothing":
        return (
            "each reading gives other content, so items cannot be told apart; name their id with "
            "`--field sample_id=PATH`"
        )
    return None if coverage.epochs else "no rank came to the end of an epoch"


def repeats_are_meant(case: Case) -> str | None:
    """Return why items may come more than once, or None."""
    coverage, spec = case.evidence.coverage, case.evidence.loader
    assert coverage is not None
    if case.intent.replacement:
        return "repeats are declared"
    if spec is not None and spec.replacement:
        return "the sampler draws with replacement"
    if coverage.reference_repeats > 0.2 * max(1, coverage.reference_size or 0):
        return "one process alone is given items more than once"
    if coverage.by != "index" and coverage.repeats_inside > 0.2 * max(1, coverage.epochs[0].distinct):
        return "single workers deliver items more than once"
    return None


def unsplit_workers(coverage: CoverageEvidence) -> tuple[Overlap, ...]:
    """Return the pairs of workers that were given the same items."""
    found = tuple(one for one in coverage.worker_overlaps if one.shared)
    if coverage.by == "own-id":
        return found
    # Equal content need not be one item: a few pairs of equal samples are no fault of the split.
    return tuple(one for one in found if one.share >= HALF)


def unexplained(epoch: EpochCoverage) -> int:
    """Return the items that were never delivered and that no dropping explains."""
    return max(0, epoch.never - epoch.dropped - epoch.cut_by_sampler)


def cause(case: Case) -> str | None:
    """Return the rule that the totals of the first epoch point to, between ranks; None if they are right."""
    coverage = case.evidence.coverage
    assert coverage is not None
    if unjudged(coverage) or repeats_are_meant(case):
        return None
    if coverage.split is not None and coverage.split.distinct > coverage.split.size:
        return "rank-order-differs"
    shares = [one.share for one in coverage.rank_overlaps if one.smaller]
    first = coverage.epochs[0]
    missing = unexplained(first)
    if shares and min(shares) >= SAME:
        return "rank-duplicates"
    if not missing:
        return None
    if shares and max(shares) > STRAY:
        return "rank-order-differs"
    spec = case.evidence.loader
    if not coverage.beyond_reference and is_sharded_twice(
        coverage, missing, spec.batch_size if spec else None
    ):
        return "sharded-twice"
    return "coverage-gap"


def is_sharded_twice(coverage: CoverageEvidence, missing: int, batch_size: int | None) -> bool:
    """Whether all ranks together have the part that one rank should have, but for a batch each."""
    world = coverage.world_size
    if world < 2 or coverage.partial or not coverage.items:
        return False
    part = coverage.items / world
    distinct = coverage.items - missing
    return abs(distinct - part) <= min(0.25 * part, 0.05 * part + world * (batch_size or 1))


@dataclass(frozen=True)
class KeptBack:
    """What each process of a stream reads and never yields; estimated from one process and from all workers."""

    each: float
    """Items that one process keeps back."""
    lost: int
    """Items that all of them together keep back in an epoch."""
    items: int
    """Items that there are."""


def kept_back(coverage: CoverageEvidence, processes: int) -> KeptBack | None:
    """Return what each process keeps back, where one process alone keeps back items too, and other ones.

    If there are T items and each of P processes keeps B of them back, one alone delivers T - B, and all
    together T - PB: so the two counts tell B.
    """
    if not coverage.beyond_reference or coverage.reference_size is None or processes < 2:
        return None
    first = coverage.epochs[0]
    fewer = coverage.reference_size - first.distinct + first.dropped
    each = fewer / (processes - 1)
    if each < max(2.0, LEFT_TO_CHANCE * coverage.reference_size / processes):
        return None
    # Two counts of items that are sampled by chance differ by about this much at most; a buffer has one size.
    if fewer < BEYOND_CHANCE * math.sqrt(2 * coverage.reference_size) and not _delivers_equal_counts(
        coverage
    ):
        return None
    items = round(coverage.reference_size + each)
    return KeptBack(each, items - first.distinct - first.dropped, items)


def _delivers_equal_counts(coverage: CoverageEvidence) -> bool:
    """Whether each worker delivers as many items in one epoch as in the next."""
    counts = [
        {tuple(share.items for share in epoch.workers) or (epoch.items,) for epoch in rank.epochs}
        for rank in coverage.ranks
        if len(rank.epochs) > 1
    ]
    return bool(counts) and all(len(one) == 1 for one in counts)


def leaves_out_others(coverage: CoverageEvidence) -> bool:
    """Whether most of what one epoch leaves out comes in another: the remainder of an order at random."""
    return coverage.never_in_any is not None and 2 * coverage.never_in_any <= coverage.epochs[0].never


def unmixed(coverage: CoverageEvidence) -> Mix | None:
    """Return the label or source whose values come most one after the other; None where none is known."""
    return max(coverage.mixes, key=lambda one: one.in_next, default=None)
