"""DL609 rank-rng-duplicated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RankRngDuplicated(Check):
    """Ranks draw the same random numbers for their augmentation.

    ## Why it hurts
    Where every rank calls `manual_seed` with the same number, worker `k` of one rank makes the same
    crops, flips and noise as worker `k` of every other rank. Each step then has less variety than its
    batch size promises.

    ## What to do
    Add the rank to the seed (`torch.manual_seed(seed + rank)`) after the model is made, and keep the
    seed of the sampler the same on all ranks.

    ## When it is wrong
    If samples are made random by their index on purpose: then they do not change when they are read
    again, and this rule stays silent.
    """

    rule = "DL609"
    name = "rank-rng-duplicated"
    level = Level.WARNING
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    equal_from: float = 0.9
    """Share of equal reads from which on two ranks draw the same numbers."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what two ranks get when they read the same items, several times over."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        draws = coverage.draws
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif spec.kind != "map":
            yield not_applicable("in a stream augmentation cannot be told from order")
        elif case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
        elif draws is None:
            yield insufficient("the same items could not be read in two ranks")
        elif draws.random and draws.equal >= self.equal_from * draws.reads:
            a, b = draws.pair
            yield self.finding(
                f"ranks {a} and {b} draw the same random numbers: {draws.equal} of {draws.reads} reads of the same "
                f"items ({percent(draws.equal / draws.reads)}) gave equal content, though an item changes each "
                "time that one rank reads it",
                advice="Add the rank to the seed of the augmentation (`torch.manual_seed(seed + rank)`).",
                where=spec.dataset_ref,
                reads=draws.reads,
                equal=draws.equal,
                ranks=[a, b],
                share=draws.equal / draws.reads,
            )
