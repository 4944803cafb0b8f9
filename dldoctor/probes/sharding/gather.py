"""From what the ranks were given to the evidence: totals, overlaps, orders."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from dldoctor.evidence.coverage import (
    CoverageEvidence,
    EpochCoverage,
    RankCoverage,
    SplitEvidence,
)
from dldoctor.finding import SourceRef
from dldoctor.probes.sharding import balance
from dldoctor.probes.sharding.compare import draws, order
from dldoctor.probes.sharding.given import Given, from_indices, from_streams, stored
from dldoctor.probes.sharding.overlaps import between_ranks, between_workers
from dldoctor.probes.sharding.ranks import Ended, World
from dldoctor.probes.sharding.seen import Seen
from dldoctor.probes.sharding.stock import LARGEST, Stock, digest_of_rank, of_ranks, seen_by_all
from dldoctor.probes.sharding.wanted import in_no_epoch, wanted_items

STRETCHES = 48
"""Columns of the picture."""
SHOWN = 20
BY_RANK = (
    "the dataset of each rank has other items under the same numbers (a few were read and compared), so they are "
    "counted rank by rank; whether two ranks share items was not looked at"
)
COMPUTED = (
    "the other ranks follow from the arithmetic of torch's DistributedSampler, which gave those that ran "
    "exactly what they drew"
)


def why_not(ended: list[Ended]) -> str | None:
    """Return why nothing can be said about items, or None."""
    results = [one.result for one in ended]
    if any("outside" in result for result in results):
        return "only the batches of this loader can be seen, so items cannot be told apart"
    if any("unnumbered" in result for result in results):
        return str(next(result["unnumbered"] for result in results if "unnumbered" in result))
    return None


def something_is_missing(world: World, ended: list[Ended]) -> bool:
    """Whether the ranks of a map-style loader leave items out that nothing explains so far."""
    ran = [one for one in ended if one.result.get("kind") == "map" and one.result["epochs"]]
    stock = of_ranks({one.rank: one.result["stock"] for one in ran})
    if not ran or (stock is not None and stock.replicas == world.size):
        return False
    total = Seen(max(one.result["size"] for one in ran))
    for one in ran:
        total.merge(stored(one.folder, "seen-0", total.size))
    return total.distinct < total.size


def coverage(
    world: World, ended: list[Ended], reference: Ended | None, notes: tuple[str, ...]
) -> CoverageEvidence:
    """Put everything together."""
    ran = [one for one in ended if "kind" in one.result]
    if not ran:
        return _nothing(world, ended, notes)
    streams = ran[0].result["kind"] == "iterable"
    given = from_streams(ran, reference) if streams else from_indices(ran, reference)
    stock = None if streams or given.by_rank else _usable(world, ran)
    if given.by_rank:
        notes += (BY_RANK,)
    split = None if streams else _split(ran, given.size)
    wanted = wanted_items(given, ran, streams, reference)
    epochs = tuple(
        _epoch(given, number, wanted, world, stock, ran) for number in range(_common_epochs(given))
    )
    first = epochs[0] if epochs else EpochCoverage(0, 0, 0, 0, 0, 0)
    results = {one.rank: one.result for one in ran}
    ranks = [_rank(one, given) for one in ended]
    if stock is not None:
        known = {one.rank for one in ended}
        ranks += [
            RankCoverage(rank, stock.kept, stock.batches, "computed")
            for rank in range(world.size)
            if rank not in known
        ]
        if len(ranks) > len(ended):
            notes += (COMPUTED,)
    length = ran[0].result["spec"]["dataset_length"]
    rows = balance.rows_of(ran)
    return CoverageEvidence(
        items=(wanted.distinct if wanted is not None else given.of_epoch(0).distinct) * given.scale,
        seen_never=first.never,
        seen_once=first.once,
        seen_more=first.more,
        ranks=tuple(sorted(ranks, key=lambda one: one.rank)),
        world_size=world.size,
        ran=len(ran),
        by=given.by,
        expected_from="length" if given.reference is None else "one process without workers",
        reference_size=None if given.reference is None else given.reference.distinct * given.scale,
        reference_repeats=0 if given.reference is None else given.reference.repeated * given.scale,
        never_in_any=in_no_epoch(given, epochs, wanted) if len(ran) == world.size else None,
        beyond_reference=0
        if given.reference is None
        else given.reference.lacking(given.of_epoch(0)) * given.scale,
        dataset_size=length if streams or given.by_rank else given.size,
        exact=given.scale == 1,
        sampled_share=1 / given.scale,
        epochs=epochs,
        rank_overlaps=between_ranks(given),
        worker_overlaps=between_workers(given),
        repeats_inside=sum(seen.repeated for seen in (given.workers or _first_seen(given)).values())
        * given.scale,
        order=order(ran, given),
        split=split,
        draws=draws(results),
        work=balance.work(rows),
        mixes=balance.mixes(rows),
        shards_by=tuple(dict.fromkeys(way for one in ran for way in one.result["sharded_by"])),
        launch={"none": "environment", "gloo": "gloo", "fake": "fake"}[world.group],  # type: ignore[arg-type]
        notes=notes,
    )


def _nothing(world: World, ended: list[Ended], notes: tuple[str, ...]) -> CoverageEvidence:
    """Return what is known where every rank raised, died or did not move."""
    empty = Given(0, "nothing", str)
    ranks = tuple(_rank(one, empty) for one in ended)
    return CoverageEvidence(0, 0, 0, 0, ranks, world.size, 0, "nothing", notes=notes)


def _first_seen(given: Given) -> dict[tuple[int, int], Seen]:
    return {key: seen for key, seen in given.seen.items() if key[1] == 0}


def _common_epochs(given: Given) -> int:
    return min((len(epochs) for epochs in given.epochs.values()), default=0)


def _usable(world: World, ran: list[Ended]) -> Stock | None:
    """Return the stock sampler's settings, if its arithmetic gives each rank that ran what it drew."""
    stock = of_ranks({one.rank: one.result["stock"] for one in ran})
    if (
        stock is None
        or stock.replicas != world.size
        or stock.length > LARGEST
        or "split_size" in ran[0].result
    ):
        return None
    names = [name for one in ran for name in one.result["announced"]]
    for number in range(world.epochs if len(ran) < world.size else 1):
        drawn = stock.order(number if names else 0)
        for one in ran:
            epochs = one.result["epochs"]
            if number >= len(epochs) or epochs[number]["order"] != digest_of_rank(
                drawn, one.rank, world.size
            ):
                return None
    return stock


def _split(ran: list[Ended], size: int) -> SplitEvidence | None:
    parts = {one.rank: stored(one.folder, "split", size) for one in ran if "split_size" in one.result}
    if len(parts) < 2 or len(parts) < len(ran):
        return None
    whole = Seen(size)
    for part in parts.values():
        whole.merge(part)
    sizes = {part.distinct for part in parts.values()}
    return SplitEvidence(
        size=max(sizes),
        total=size,
        distinct=whole.distinct,
        shared=min(a.shared(b) for a, b in combinations(parts.values(), 2)),
    )


def _epoch(
    given: Given, number: int, wanted: Seen | None, world: World, stock: Stock | None, ran: list[Ended]
) -> EpochCoverage:
    own = [epochs[number] for epochs in given.epochs.values()]
    complete = all(epoch.complete for epoch in own)
    total = given.of_epoch(number)
    issued = sum(epoch.items for epoch in own)
    computed = stock is not None and len(ran) < world.size
    if computed:
        assert stock is not None
        announced = any(one.result["announced"] for one in ran)
        total = seen_by_all(stock.order(number if announced else 0), given.size)
        issued = stock.kept * stock.replicas
    known = computed or len(ran) == world.size
    never = total.lacking(wanted) if wanted is not None and known and complete else 0
    left = given.left.get(number)
    dropped = total.lacking(left) if left is not None else sum(epoch.dropped for epoch in own)
    if computed:
        assert stock is not None
        dropped = (stock.per_rank - stock.kept) * stock.replicas
    return EpochCoverage(
        epoch=number,
        issued=issued,
        distinct=total.distinct * given.scale,
        never=never * given.scale,
        once=(total.distinct - total.repeated) * given.scale,
        more=total.repeated * given.scale,
        missing=tuple(given.name(item) for item in total.first_missing(SHOWN, wanted)) if never else (),
        repeated=tuple(given.name(item) for item in total.first_repeated(SHOWN)),
        dropped=min(dropped, never) if left is None else dropped,
        cut_by_sampler=stock.cut if stock is not None else _cut(ran),
        padded=stock.padded if stock is not None else 0,
        complete=complete,
    )


def _cut(ran: list[Ended]) -> int:
    """Return what a sampler that drops to even out ranks leaves out, where it is torch's own."""
    stock = of_ranks({one.rank: one.result.get("stock") for one in ran})
    return stock.cut if stock is not None else 0


def _rank(one: Ended, given: Given) -> RankCoverage:
    epochs = given.epochs.get(one.rank, ())
    state: Any = one.state
    error, where = one.error, one.where
    failed = one.result.get("raised")
    if failed is not None:
        state, error = "raised", failed["error"]
        where = SourceRef(failed["path"], failed["line"], failed["symbol"]) if failed.get("path") else None
    elif "refused" in one.result:
        state, error = "raised", one.result["refused"]["message"]
    picture = tuple(
        given.seen[one.rank, epoch.epoch].stretches(STRETCHES) for epoch in epochs[:4] if given.size
    )
    return RankCoverage(
        rank=one.rank,
        items=epochs[0].items if epochs else 0,
        batches=epochs[0].batches if epochs else 0,
        state=state,
        error=error,
        where=where,
        epochs=epochs,
        picture=picture,
    )
