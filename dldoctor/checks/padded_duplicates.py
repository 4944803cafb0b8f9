"""DL605 padded-duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import cause, repeats_are_meant, unjudged
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PaddedDuplicates(Check):
    """The sampler of an evaluation repeats items to give every rank the same number.

    ## Why it hurts
    `DistributedSampler` pads: 21 items on 2 ranks become 22, and one is evaluated twice. The metric
    then depends on the number of GPUs, and a small test set shows it.

    ## What to do
    Remove the repeats by their id before the metric is computed, use a sampler that does not pad, or
    evaluate on one rank.

    ## When it is wrong
    Where the metric already removes repeats (`gather_for_metrics` of accelerate does): declare
    `--replacement`. In training a few repeats do no harm and are not mentioned.
    """

    rule = "DL605"
    name = "padded-duplicates"
    level = Level.WARNING
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that come more than once although nothing is missing."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        evaluation = case.intent.role in ("eval", "generate")
        if coverage.world_size < 2:
            yield not_applicable("there is one rank; add `--ranks N`")
        elif spec.kind != "map":
            yield not_applicable("a stream has no sampler")
        elif not evaluation and (case.intent.role == "train" or spec.shuffle):
            yield not_applicable("the loader is for training")
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif cause(case) is None and (first := coverage.epochs[0]).more and not first.never:
            again = first.issued - first.distinct
            reading = "" if evaluation else " if this loader is for evaluation (declare `--role`)"
            yield self.finding(
                f"{counted(coverage.items, 'item')} on {coverage.world_size} ranks become {first.issued}: "
                f"{listed(first.repeated, first.more)} {'comes' if first.more == 1 else 'come'} again, which can "
                f"shift a mean by {percent(again / first.issued)} of its range{reading}",
                advice="Remove the repeats by their id before the metric, or use a sampler that does not pad.",
                level=self.level if evaluation else Level.INFO,
                where=spec.order_ref,
                samples=tuple(int(item) for item in first.repeated) if coverage.by == "index" else (),
                issued=first.issued,
                distinct=first.distinct,
                repeats=again,
                bound=again / first.issued,
            )
