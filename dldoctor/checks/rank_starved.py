"""DL604 rank-starved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted
from dldoctor.evidence.coverage import CoverageEvidence, RankCoverage
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RankStarved(Check):
    """A rank has no batch, or fewer than the others.

    ## Why it hurts
    The ranks of a distributed training step together. One that has no batch left does not join the
    exchange of gradients, and the others wait for it for ever: the run hangs, often only at the end of
    an epoch, or fails after a timeout of half an hour.

    ## What to do
    Have at least as many shards as ranks times workers, and the same number in each; or give every rank
    the same number of batches (`DistributedSampler`, `drop_last`, a fixed number of steps).

    ## When it is wrong
    Workers without work are no fault as long as each rank has its batches: that is only noted. In
    evaluation without an exchange between ranks, uneven ranks are harmless: declare `--role eval`.
    """

    rule = "DL604"
    name = "rank-starved"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the number of batches of each rank in each epoch."""
        coverage = case.evidence.coverage
        assert coverage is not None
        if broken := [one for one in coverage.ranks if one.state in ("raised", "stuck", "died")]:
            yield self._broken(case, coverage, broken)
            return
        if coverage.world_size < 2:
            if idle := _idle(coverage):
                yield self._idle(case, idle)
            else:
                yield not_applicable("there is one rank; add `--ranks N`")
            return
        epochs = [epoch for one in coverage.ranks for epoch in one.epochs]
        if epochs and not any(epoch.complete for epoch in epochs):
            yield insufficient("no rank came to the end of an epoch")
            return
        if uneven := _uneven(coverage):
            yield self._uneven(case, coverage, uneven)
        elif idle := _idle(coverage):
            yield self._idle(case, idle)

    def _broken(self, case: Case, coverage: CoverageEvidence, broken: list[RankCoverage]) -> Finding:
        first = broken[0]
        well = [one for one in coverage.ranks if one.state == "run"]
        others = f", while {counted(len(well), 'other rank')} delivered {listed([one.batches for one in well])} batches"
        how = f"raised {first.error}" if first.state == "raised" else str(first.error)
        return self.finding(
            f"rank {first.rank} {how}{others if well else ''}",
            advice="Make sure that every rank has data: at least as many shards as ranks times workers.",
            where=first.where or (case.evidence.loader.dataset_ref if case.evidence.loader else None),
            ranks={str(one.rank): f"{one.state}: {one.error}" for one in broken},
            batches={str(one.rank): one.batches for one in coverage.ranks},
        )

    def _uneven(self, case: Case, coverage: CoverageEvidence, batches: dict[int, int]) -> Finding:
        least = min(batches, key=lambda rank: batches[rank])
        starved = [rank for rank, number in batches.items() if number == 0]
        evaluation = case.intent.role in ("eval", "generate")
        what = (
            f"rank {listed(starved)} of {coverage.world_size} has no batch"
            if starved
            else f"rank {least} has {counted(batches[least], 'batch', 'batches')} in an epoch"
        )
        spec = case.evidence.loader
        assert spec is not None
        harm = "" if evaluation else ", so the others would wait for it in the exchange of gradients"
        return self.finding(
            f"{what}, and another has {max(batches.values())}{harm}",
            advice="Give every rank the same number of batches: as many shards each, or `drop_last`.",
            level=Level.INFO if evaluation else self.level,
            where=spec.order_ref,
            batches={str(rank): number for rank, number in batches.items()},
            starved=starved,
        )

    def _idle(self, case: Case, idle: list[str]) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"{counted(len(idle), 'worker')} delivered nothing ({listed(idle)}), while each rank had its batches",
            advice="Use as many workers as there are shards for a rank, or make more shards.",
            level=Level.INFO,
            where=spec.dataset_ref,
            idle=idle,
        )


def _uneven(coverage: CoverageEvidence) -> dict[int, int] | None:
    """Return the batches of each rank in the first epoch in which they differ."""
    ran = [one for one in coverage.ranks if one.epochs]
    for number in range(min((len(one.epochs) for one in ran), default=0)):
        if all(one.epochs[number].complete for one in ran):
            found = {one.rank: one.epochs[number].batches for one in ran}
            if len(set(found.values())) > 1:
                return found
    return None


def _idle(coverage: CoverageEvidence) -> list[str]:
    """Return the workers of streams that delivered nothing."""
    if coverage.by == "index":
        return []
    return [
        f"rank {one.rank} worker {own.worker}"
        for one in coverage.ranks
        for epoch in one.epochs[:1]
        for own in epoch.workers
        if epoch.complete and own.items == 0
    ]
