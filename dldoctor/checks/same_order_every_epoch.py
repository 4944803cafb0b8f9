"""DL606 same-order-every-epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed
from dldoctor.evidence.coverage import OrderEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SameOrderEveryEpoch(Check):
    """The order is shuffled once and is then the same in every epoch.

    ## Why it hurts
    The same samples meet in the same batches every epoch, and the last ones always come last.
    `DistributedSampler` shuffles by `seed + epoch`, and its epoch stays 0 until somebody calls
    `set_epoch`; a stream that seeds its shuffle with a constant has the same fault.

    ## What to do
    Call `loader.sampler.set_epoch(epoch)` (or that of the dataset) at the start of each epoch, and use
    the epoch in the seed of the shuffle.

    ## When it is wrong
    For a fixed order on purpose: evaluation (declare `--role eval`), or a curriculum. `set_epoch` is
    called here by its usual names, on the loader, its samplers and its dataset; what your loop does
    instead is told by `--set-epoch FILE:NAME`, and that it does nothing by `--set-epoch none`.
    """

    rule = "DL606"
    name = "same-order-every-epoch"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the order of two epochs, with and without `set_epoch`."""
        coverage = case.evidence.coverage
        assert coverage is not None
        order = coverage.order
        if case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
        elif order is None or order.same is None:
            yield insufficient("there were no two whole epochs of enough items to compare")
        elif order.same and order.shuffles:
            yield self._same(case, order)
        elif order.same and order.shuffles is None and coverage.by == "index":
            yield self._unclear(case, order)
        elif not order.same and order.same_unannounced:
            yield self._must_call(case, order)

    def _same(self, case: Case, order: OrderEvidence) -> Finding:
        told = (
            f"although the epoch was announced ({listed(order.announced)})"
            if order.announced
            else "as the loop announces no epoch"
            if case.intent.set_epoch == "none"
            else "and nothing in it takes a `set_epoch`"
        )
        return self._finding(
            case,
            order,
            f"two epochs have the same order, {told}: both begin with {listed(order.first[0], shown=6)} ({order.why})",
            "Call `set_epoch(epoch)` before each epoch, and use the epoch in the seed of the shuffle.",
            self.level,
        )

    def _unclear(self, case: Case, order: OrderEvidence) -> Finding:
        return self._finding(
            case,
            order,
            f"two epochs have the same order, which begins with {listed(order.first[0], shown=6)}: fine for an "
            "order that is meant (evaluation, a curriculum), a fault if the sampler is meant to shuffle",
            "Shuffle by a seed that depends on the epoch, if a new order is wanted.",
            Level.INFO,
        )

    def _must_call(self, case: Case, order: OrderEvidence) -> Finding:
        return self._finding(
            case,
            order,
            f"the order changes from epoch to epoch only if your loop calls `set_epoch` ({listed(order.announced)}); "
            "without it two epochs have the same order",
            f"Call `{order.announced[0]}.set_epoch(epoch)` before each epoch."
            if order.announced[0] != "--set-epoch"
            else "Keep calling it before each epoch.",
            Level.INFO,
        )

    def _finding(self, case: Case, order: OrderEvidence, message: str, advice: str, level: Level) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            message,
            advice=advice,
            level=level,
            where=spec.order_ref,
            first_of_epoch_0=list(order.first[0]) if order.first else [],
            first_of_epoch_1=list(order.first[1]) if len(order.first) > 1 else [],
            announced=list(order.announced),
        )
