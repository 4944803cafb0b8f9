"""DL603 rank-duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import cause, repeats_are_meant, unjudged
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RankDuplicates(Check):
    """All ranks are given the same items.

    ## Why it hurts
    Every process trains on the whole data: an epoch does the work of one process `world_size` times
    over, the effective batch is smaller than it looks, and adding machines brings nothing.

    ## What to do
    Map-style: pass `sampler=DistributedSampler(dataset)`. A stream: skip what belongs to other ranks in
    `__iter__`, by `rank * num_workers + worker`, or use what the library has for it
    (`split_dataset_by_node`, `nodesplitter=wds.split_by_node`).

    ## When it is wrong
    If a framework shards the loader afterwards: accelerate, the Hugging Face Trainer and Lightning do
    that for map-style loaders, and the first two also for streams. A map-style loader that takes no
    notice of ranks is therefore only noted. Name the loader that the framework gives back (the Trainer
    as target, `accelerator.prepare(loader)`).
    """

    rule = "DL603"
    name = "rank-duplicates"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that two ranks were both given."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif not any(one.smaller for one in coverage.rank_overlaps):
            yield insufficient("no two ranks delivered items")
        elif cause(case) == "rank-duplicates":
            yield self._found(case)

    def _found(self, case: Case) -> Finding:
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        worst = max(coverage.rank_overlaps, key=lambda pair: pair.share)
        unaware = spec.kind == "map" and not coverage.shards_by
        reading = (
            "; the loader takes no notice of ranks: right if accelerate, a Trainer or Lightning shards it "
            "afterwards, else every rank trains on everything"
            if unaware
            else ""
        )
        pairs = [f"{one.a} and {one.b}: {percent(one.share)}" for one in coverage.rank_overlaps[:6]]
        return self.finding(
            f"ranks {worst.a} and {worst.b} have {worst.shared} of {worst.smaller} items in common "
            f"({percent(worst.share)}), so that {coverage.world_size} ranks see {coverage.epochs[0].distinct} "
            f"different items in {coverage.epochs[0].issued} deliveries{reading}",
            advice=(
                "Pass `sampler=DistributedSampler(dataset)`, unless your framework shards the loader."
                if spec.kind == "map"
                else "Split the stream by rank as well as by worker (`rank * num_workers + worker`)."
            ),
            level=Level.INFO if unaware else self.level,
            where=spec.order_ref,
            overlap=pairs,
            shared=worst.shared,
            smaller=worst.smaller,
            takes_notice_by=listed(coverage.shards_by) if coverage.shards_by else "nothing",
            share=worst.share,
        )
