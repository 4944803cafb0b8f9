"""Who was given which items: totals, a row for each rank, epoch and worker, and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.coverage import CoverageEvidence, EpochCoverage, RankCoverage
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted, duration, share
from dldoctor.report import Report

BY = {
    "index": "told apart by index, without reading data",
    "own-id": "told apart by their own id",
    "content": "told apart by their content",
    "nothing": "not told apart: each reading gives other content",
}
_NAME = 24


@dataclass(frozen=True)
class CoverageRow:
    """One rank in one epoch, or one of its workers."""

    rank: str
    epoch: str
    worker: str
    items: str
    batches: str
    distinct: str
    """Empty where no item came twice."""
    tail: str
    dropped: str
    took: str
    first: str
    note: str = ""
    """Why there is no more to say of the rank."""


@dataclass(frozen=True)
class Strip:
    """One rank in one epoch: how much of each stretch of the items it was given."""

    label: str
    shares: tuple[float, ...]


def found(report: Report) -> CoverageEvidence | None:
    """Return the evidence, if ranks ran."""
    return report.evidence.coverage


def title(coverage: CoverageEvidence) -> str:
    """Return what ran."""
    epochs = counted(len(coverage.epochs), "epoch")
    ranks = counted(coverage.world_size, "rank")
    if coverage.ran < coverage.world_size:
        ranks += f" ({coverage.ran} of them run)"
    return f"{ranks}, {epochs}; items {BY[coverage.by]}"


def lines(coverage: CoverageEvidence) -> tuple[str, ...]:
    """Return one sentence for each epoch, then what is known of order and work, then the notes."""
    return tuple(_lines(coverage))


def _lines(coverage: CoverageEvidence) -> Iterator[str]:
    if coverage.by != "nothing":
        for epoch in coverage.epochs:
            yield _totals(coverage, epoch)
    order = coverage.order
    if order is not None and order.same is not None:
        after = f" (announced: {', '.join(order.announced)})" if order.announced else ""
        yield f"order: {'the same in both epochs' if order.same else 'another in each epoch'}{after}"
    if coverage.shards_by:
        yield f"takes notice of ranks by {', '.join(clean(way, 60) for way in coverage.shards_by)}"
    if coverage.draws is not None and coverage.draws.random:
        yield (
            f"random numbers: {count(coverage.draws.equal)} of {count(coverage.draws.reads)} reads of the same "
            f"items are equal on ranks {coverage.draws.pair[0]} and {coverage.draws.pair[1]}"
        )
    if coverage.work is not None:
        work = coverage.work
        yield (
            f"work: in {counted(work.steps, 'step')} the ranks would wait {share(work.waiting)} of their time for "
            f"the one with the largest `{clean(work.field, 60)}`, if time grows with its elements; a step has "
            f"{', '.join(count(round(one)) for one in work.per_rank[:8])} of them, rank by rank"
        )
    for mix in coverage.mixes:
        yield (
            f"mix: {mix.window} batches in a row hold {mix.values_in_window:.2g} of {mix.values} different "
            f"`{clean(mix.field, 60)}`; in an order at random they would hold {mix.values_expected:.2g}"
        )
    if not coverage.exact:
        yield f"too many ids to keep: {share(coverage.sampled_share)} of them, by hash, stand for all"
    yield from (clean(note, 300) for note in coverage.notes)


def _totals(coverage: CoverageEvidence, epoch: EpochCoverage) -> str:
    parts = [f"{count(epoch.issued)} delivered"]
    if not coverage.partial and epoch.complete:
        parts.append(f"{count(epoch.never)} of {counted(coverage.items, 'item')} never")
    parts += [f"{count(epoch.once)} once", f"{count(epoch.more)} more often"]
    reasons = [
        f"{count(number)} {why}"
        for number, why in (
            (epoch.dropped, "left out by drop_last"),
            (epoch.cut_by_sampler, "left out by the sampler"),
            (epoch.padded, "repeated by the sampler"),
        )
        if number
    ]
    why = f" ({', '.join(reasons)})" if reasons else ""
    cut = "" if epoch.complete else "; cut short"
    return f"epoch {epoch.epoch}: {', '.join(parts)}{why}{cut}"


def rows(coverage: CoverageEvidence) -> tuple[CoverageRow, ...]:
    """Return a row for each rank and epoch, and under it one for each worker where there are several."""
    return tuple(row for rank in coverage.ranks for row in _rows_of(rank))


def _rows_of(rank: RankCoverage) -> Iterator[CoverageRow]:
    name = str(rank.rank)
    if rank.state != "run":
        how = "computed, not run" if rank.state == "computed" else clean(f"{rank.state}: {rank.error}", 200)
        yield CoverageRow(name, "", "", count(rank.items), count(rank.batches), "", "", "", "", "", how)
        return
    for epoch in rank.epochs:
        yield CoverageRow(
            name, str(epoch.epoch), "", count(epoch.items), count(epoch.batches), count(epoch.distinct) if epoch.distinct != epoch.items else "",
            count(epoch.tail), count(epoch.dropped) if epoch.dropped else "", duration(epoch.elapsed_ns),
            _listed(epoch.first) + ("" if epoch.complete else " (cut short)"),
        )  # fmt: skip
        if len(epoch.workers) < 2:
            continue
        for own in epoch.workers:
            yield CoverageRow(
                "", "", str(own.worker), count(own.items), count(own.batches), "", count(own.tail),
                count(own.dropped) if own.dropped else "", "", _listed(own.first),
            )  # fmt: skip


def _listed(first: tuple[str, ...]) -> str:
    return ", ".join(clean(item, _NAME) for item in first[:4]) + (", ..." if len(first) > 4 else "")


def strips(coverage: CoverageEvidence) -> tuple[Strip, ...]:
    """Return the picture, rank by rank and epoch by epoch."""
    if coverage.by == "nothing":
        return ()
    return tuple(
        Strip(f"rank {rank.rank} epoch {number}", shares)
        for rank in coverage.ranks
        for number, shares in enumerate(rank.picture)
        if shares
    )
