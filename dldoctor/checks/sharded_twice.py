"""DL608 sharded-twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import cause, repeats_are_meant, unexplained, unjudged
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ShardedTwice(Check):
    """The sampler gives each rank its part, and the framework takes a part of that part.

    ## Why it hurts
    An epoch is `world_size` times too short and most of the data is never seen. Nothing fails: the
    loss falls, only more slowly than it could.

    ## What to do
    Let one of the two shard: give accelerate, the Trainer or Lightning a plain loader with
    `shuffle=True`, or switch its sharding off (`use_distributed_sampler=False`).

    ## When it is wrong
    If each rank is meant to see only a part of its part in an epoch, with another part in the next:
    declare `--replacement`.
    """

    rule = "DL608"
    name = "sharded-twice"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that all ranks together were given."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif coverage.partial:
            yield insufficient("not every rank delivered its items here")
        elif cause(case) == "sharded-twice":
            first = coverage.epochs[0]
            missing = unexplained(first)
            covered = coverage.items - missing
            yield self.finding(
                f"{coverage.world_size} ranks together are given {covered} of {coverage.items} items "
                f"({percent(covered / coverage.items)}), which is what one of them should have: each rank has "
                f"{coverage.ranks[0].items}",
                advice="Let either the sampler or the framework shard the loader, not both.",
                where=spec.order_ref,
                covered=covered,
                items=coverage.items,
                missing=missing,
                per_rank={str(one.rank): one.items for one in coverage.ranks},
                sharded_by=listed(coverage.shards_by) if coverage.shards_by else "unknown",
                share=missing / coverage.items,
            )
