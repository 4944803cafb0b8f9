"""DL601 worker-duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import repeats_are_meant, unjudged, unsplit_workers
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, figure, percent
from dldoctor.evidence.coverage import CoverageEvidence, Overlap, RankCoverage
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class WorkerDuplicates(Check):
    """Several workers of a stream deliver the same items.

    ## Why it hurts
    Each worker of a DataLoader has its own copy of an IterableDataset. If the copy does not ask which
    worker it is in, every worker reads everything: an epoch has each item once per worker, training
    overfits and takes longer than it should, and metrics count items several times.

    ## What to do
    Split by worker in `__iter__`: `info = get_worker_info()`, then
    `itertools.islice(items, info.id, None, info.num_workers)`, or give each worker its own shards.
    Across ranks split by `rank * num_workers + worker`.

    ## When it is wrong
    Where items are meant to be repeated, as with sampling with replacement: declare `--replacement`.
    Where different items have equal content and no id of their own: name the id with
    `--field sample_id=PATH`.
    """

    rule = "DL601"
    name = "worker-duplicates"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that two workers of one rank both delivered."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        if spec.kind != "iterable":
            yield not_applicable("the loader itself hands each index to one worker")
        elif spec.num_workers < 2:
            yield not_applicable("there are no two workers")
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif pairs := unsplit_workers(coverage):
            yield self._found(coverage, pairs, case)

    def _found(self, coverage: CoverageEvidence, pairs: tuple[Overlap, ...], case: Case) -> Finding:
        worst = max(pairs, key=lambda pair: pair.share)
        rank = next(one for one in coverage.ranks if one.rank == worst.rank)
        first = rank.epochs[0]
        times = first.items / first.distinct if first.distinct else 0.0
        who = f" of rank {rank.rank}" if coverage.world_size > 1 else ""
        assert case.evidence.loader is not None
        return self.finding(
            f"workers {worst.a} and {worst.b}{who} both delivered {counted(worst.shared, 'item')} "
            f"({percent(worst.share)} of the smaller share): {first.items} items were issued and "
            f"{first.distinct} are different ({figure(times)} times each)",
            advice="Split the stream by `get_worker_info()` in `__iter__`.",
            where=case.evidence.loader.dataset_ref,
            issued=first.items,
            distinct=first.distinct,
            factor=round(times, 3),
            shared=worst.shared,
            workers=[worst.a, worst.b],
            rank=rank.rank,
            pairs=len(pairs),
            first=_first(rank),
            share=worst.share,
        )


def _first(rank: RankCoverage) -> list[str]:
    """Return the first items of each worker."""
    return [f"worker {own.worker}: {listed(own.first)}" for own in rank.epochs[0].workers[:4]]
