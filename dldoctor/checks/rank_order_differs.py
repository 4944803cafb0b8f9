"""DL607 rank-order-differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import cause, repeats_are_meant, unexplained, unjudged
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.coverage import CoverageEvidence, SplitEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RankOrderDiffers(Check):
    """Ranks take their slices from different permutations, or draw different splits.

    ## Why it hurts
    A slice of the ranks makes sense only of one common order. If each rank shuffles by a seed of its
    own, some items come twice and others never. If each rank draws its own validation split, it
    validates on what other ranks train on, and the metric looks too good.

    ## What to do
    Use one seed on all ranks for what decides the order and the split (`DistributedSampler(seed=0)`,
    `random_split(..., generator=torch.Generator().manual_seed(0))`), and different seeds only for
    augmentation.

    ## When it is wrong
    Where every rank is meant to sample on its own: declare `--replacement`.
    """

    rule = "DL607"
    name = "rank-order-differs"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what two ranks share while other items are missing, and by the splits themselves."""
        coverage = case.evidence.coverage
        assert coverage is not None
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif cause(case) == "rank-order-differs":
            split = coverage.split
            if split is not None and split.distinct > split.size:
                yield self._split(case, coverage, split)
            else:
                yield self._order(case, coverage)

    def _split(self, case: Case, coverage: CoverageEvidence, split: SplitEvidence) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"each rank drew a split of its own: {coverage.ran} ranks have {split.distinct} different items in "
            f"their parts of {split.size} of {counted(split.total, 'item')}, and two of them share only {split.shared}",
            advice="Draw the split with a generator that has the same seed on every rank.",
            where=spec.dataset_ref,
            size=split.size,
            distinct=split.distinct,
            total=split.total,
            shared=split.shared,
        )

    def _order(self, case: Case, coverage: CoverageEvidence) -> Finding:
        spec, first = case.evidence.loader, coverage.epochs[0]
        assert spec is not None
        worst = max(coverage.rank_overlaps, key=lambda pair: pair.share)
        missing = unexplained(first)
        return self.finding(
            f"the ranks slice different orders: {first.issued} items are issued, {first.distinct} are different "
            f"and {missing} ({percent(missing / coverage.items)}) are missing; ranks {worst.a} and {worst.b} share "
            f"{worst.shared} of {worst.smaller}",
            advice="Shuffle with the same seed on every rank.",
            where=spec.order_ref,
            samples=tuple(int(item) for item in first.missing) if coverage.by == "index" else (),
            issued=first.issued,
            distinct=first.distinct,
            missing=missing,
            examples=list(first.missing),
            overlap=[f"{one.a} and {one.b}: {one.shared}" for one in coverage.rank_overlaps[:6]],
            takes_notice_by=listed(coverage.shards_by) if coverage.shards_by else "nothing",
            share=missing / coverage.items,
        )
