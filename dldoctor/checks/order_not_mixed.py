"""DL612 order-not-mixed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import unmixed
from dldoctor.checks.wording import percent
from dldoctor.evidence.coverage import CoverageEvidence, Mix
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class OrderNotMixed(Check):
    """Training meets one label or source after the other instead of a mix of them.

    ## Why it hurts
    Files are often sorted by class or source. Read in order, cut into contiguous blocks, or shuffled by a
    buffer that is smaller than a class, they give many steps in a row of few labels: the model follows
    them, forgets the others, and the statistics of BatchNorm swing.

    ## What to do
    Shuffle the list of files or rows once before it is cut, deal rows to workers in turn (`items[k::n]`),
    read several shards at a time, and make the shuffle buffer several times as large as a class.

    ## When it is wrong
    In evaluation the order does not matter: declare `--role eval`. A curriculum is sorted on purpose.
    Batches of one label or source each, in an order at random, are taken as meant and only noted.
    """

    rule = "DL612"
    name = "order-not-mixed"
    level = Level.WARNING
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    next_from: float = 0.3
    """How alike a batch and the next one may be (0 as in an order at random, 1 one and the same value)."""
    errors_from: float = 4.0
    """How many standard errors of an order at random that must lie above 0."""
    batch_from: float = 0.5
    """How alike the samples of one batch may be where the order of batches is at random: a note."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by labels and sources of the samples of some hundred batches."""
        coverage = case.evidence.coverage
        assert coverage is not None
        if case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
        elif not coverage.mixes:
            yield insufficient(
                "no field of the samples is known as a label or a source, or there are few batches"
            )
        elif (worst := unmixed(coverage)) is not None and worst.in_next >= max(
            self.next_from, self.errors_from * worst.chance
        ):
            by_rank = worst.in_rank is not None and worst.in_next - worst.in_rank < self.next_from / 2
            yield self._of_ranks(case, worst) if by_rank else self._sorted(case, coverage, worst)
        elif (pure := max(coverage.mixes, key=lambda one: one.in_batch)).in_batch >= self.batch_from:
            yield self._pure(case, pure)

    def _sorted(self, case: Case, coverage: CoverageEvidence, mix: Mix) -> Finding:
        spec, order = case.evidence.loader, coverage.order
        assert spec is not None
        shuffles = order is not None and order.shuffles
        training = case.intent.role == "train" or bool(shuffles)
        who = " of one worker" if spec.kind == "iterable" and spec.num_workers > 1 else ""
        why, advice = "", "Shuffle rows or files before they are cut, or deal rows in turn (`items[k::n]`)."
        if shuffles and spec.kind == "iterable":
            assert order is not None
            why = f"; the stream shuffles ({order.why}), but over too few samples at a time"
            advice = "Shuffle the files first, read several at a time, and make the shuffle buffer larger."
        reading = (
            ""
            if training
            else "; fine for evaluation or a curriculum, a fault in training (declare `--role`)"
        )
        return self.finding(
            f"{mix.window} batches in a row{who} hold {mix.values_in_window:.2g} of {mix.values} different "
            f"`{mix.field}` on average, where an order at random would give {mix.values_expected:.2g}: the first hold "
            f"{' | '.join(mix.first[:3])}{why}{reading}",
            advice=advice,
            level=self.level if training else Level.INFO,
            where=spec.order_ref,
            **_facts(mix),
        )

    def _of_ranks(self, case: Case, mix: Mix) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"each rank gets some of {mix.values} different `{mix.field}` only, mixed within the rank: fine where "
            "gradients are averaged over ranks, not where statistics or negatives are taken from the rank's own batch",
            advice="Deal items to ranks in turn (`items[rank::world]`), not in blocks.",
            level=Level.INFO,
            where=spec.order_ref,
            **_facts(mix),
        )

    def _pure(self, case: Case, mix: Mix) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"batches hold few of {mix.values} different `{mix.field}` each ({percent(mix.in_batch)} of the way to "
            f"one alone: {' | '.join(mix.first[:3])}), and the next batch is of another: fine if batches of one kind are meant",
            advice="Mix kinds within a batch, unless batches of one kind are meant.",
            level=Level.INFO,
            where=spec.order_ref,
            **_facts(mix),
        )


def _facts(mix: Mix) -> dict[str, Any]:
    return {
        "field": mix.field,
        "values": mix.values,
        "looked_at": mix.samples,
        "batches": mix.batches,
        "in_batch": round(mix.in_batch, 3),
        "in_next": round(mix.in_next, 3),
        "in_rank": None if mix.in_rank is None else round(mix.in_rank, 3),
        "window": mix.window,
        "values_in_window": round(mix.values_in_window, 2),
        "values_expected": round(mix.values_expected, 2),
        "first": list(mix.first),
    }
