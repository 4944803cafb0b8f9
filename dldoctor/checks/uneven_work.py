"""DL613 uneven-work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.wording import percent
from dldoctor.evidence.coverage import Work
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class UnevenWork(Check):
    """One rank gets more work in each step than the others, which wait for it.

    ## Why it hurts
    The ranks of a distributed training step together, as fast as the one with the largest batch. Where
    items are dealt by length, by file or by source, one rank has the long texts or large images in each
    step, and the others pay for it with idle time.

    ## What to do
    Deal items to ranks in turn after a shuffle (`items[rank::world]`), or put batches of like size together
    over all ranks: sort by length first, deal then.

    ## When it is wrong
    Where the time of a step does not grow with the elements of its batch. Differences by chance, which
    change from step to step, are only noted. In evaluation nobody waits within an epoch: declare `--role eval`.
    """

    rule = "DL613"
    name = "uneven-work"
    level = Level.WARNING
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    waiting_from: float = 0.2
    """Share of their time that ranks wait for the slowest."""
    errors_apart: float = 4.0
    """How many standard errors a rank's mean must lie above the mean of all."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the elements of the batches that the ranks have in the same steps."""
        coverage = case.evidence.coverage
        assert coverage is not None
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
        elif coverage.work is None:
            yield insufficient("two ranks have no steps in common whose batches could be read")
        elif coverage.work.waiting >= self.waiting_from:
            yield self._found(case, coverage.work)

    def _found(self, case: Case, work: Work) -> Finding:
        spec, coverage = case.evidence.loader, case.evidence.coverage
        assert spec is not None
        assert coverage is not None
        mean = sum(work.per_rank) / len(work.per_rank)
        most = max(range(len(work.per_rank)), key=lambda place: work.per_rank[place])
        above = work.per_rank[most] - mean
        always = above >= self.errors_apart * work.errors[most]
        ranks = [one.rank for one in coverage.ranks if one.state == "run"]
        steady = always and 1 - mean / work.per_rank[most] >= self.waiting_from
        who = (
            f"rank {ranks[most]} has {work.per_rank[most] / mean:.2g} times the mean of all in each step"
            if steady
            else "the largest batch of a step is now on one rank and now on another"
        )
        return self.finding(
            f"ranks wait {percent(work.waiting)} of their time for the one with the largest batch, if time grows with "
            f"the elements of `{work.field}`: {who} ({work.steps} steps)",
            advice=(
                "Deal items to ranks in turn (`items[rank::world]`), not in blocks."
                if steady
                else "Sort by size first and deal to ranks then, so that a step has batches of like size."
            ),
            level=self.level if steady else Level.INFO,
            where=spec.order_ref,
            field=work.field,
            waiting=round(work.waiting, 3),
            steps=work.steps,
            per_rank={str(rank): round(one, 1) for rank, one in zip(ranks, work.per_rank, strict=False)},
            steady=steady,
        )
