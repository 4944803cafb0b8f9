"""DL703 slow-samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import level, millis, order_cost, slow_samples
from dldoctor.checks.phrases import samples_named
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.profile import OrderEvidence, ProfileEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SlowSamples(Check):
    """A few samples take far longer than the rest, and the batches behind them wait.

    ## Why it hurts
    Batches are delivered in order. While one worker is busy with a slow sample, finished batches of
    the others lie waiting, the other workers run out of room, and the consumer gets nothing.

    ## What to do
    Look at the samples that are named: often they are far larger than the rest, or come from slower
    storage. Shrink or re-encode them, cap their size, or leave them out. `in_order=False` (torch 2.6
    and later) lets later batches pass, at the price of an order that depends on timing.

    ## When it is wrong
    The first sample of each worker may be slow because it opens files; a run of more batches shows
    whether it stays. The costs are of a simulation of this loader with the times that were measured.
    """

    rule = "DL703"
    name = "slow-samples"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    cost: float = 0.02
    """Share of the rate that they must cost."""
    lasting: float = 0.3
    """A sample that takes less than this share of its time when it is read again was slow by chance;
    if all are, or fewer than three of a stream, it is a note."""
    min_samples: int = 32
    """Samples below which nothing is judged."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Name the samples and what they cost."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        order = profile.order
        if order is None or order.samples < self.min_samples:
            yield insufficient(
                f"{order.samples if order else 0} samples timed, at least {self.min_samples} are needed"
            )
            return
        found = slow_samples(profile, self.cost)
        if found is None:
            return
        passing = found.rate_any_order / found.rate - 1 if found.rate else 0.0
        free = found.rate_without_slow / found.rate - 1 if found.rate else 0.0
        helps = spec.num_workers > 1 and spec.in_order and passing > 0.1
        other = f", `in_order=False` {percent(passing)}" if helps else ""
        yield self.finding(
            f"{counted(found.slow_count, 'sample')} of {found.samples} {'takes' if found.slow_count == 1 else 'take'} {millis(found.slow_ns / found.slow_count)} "
            f"where the median takes {millis(found.median_ns)}, mostly in {found.stage or 'your code'} "
            f"({samples_named(found.slow, found.slow_count)}); without them the loader would gain {percent(free)}{other}",
            advice="Pass `in_order=False`, if the order may depend on timing; else shrink or leave out these samples."
            if helps
            else "Shrink these samples, re-encode them, or leave them out.",
            level=level(case, self.level, sure=self._lasts(profile, found, spec.kind)),
            where=spec.dataset_ref,
            samples=found.slow,
            count=found.slow_count,
            median_ns=found.median_ns,
            slow_ns=found.slow_ns,
            cost=order_cost(found),
            rate=found.rate,
            rate_any_order=found.rate_any_order,
            rate_without_slow=found.rate_without_slow,
        )

    def _lasts(self, profile: ProfileEvidence, found: OrderEvidence, kind: str) -> bool:
        again = profile.trial("again")
        if again is None:
            return kind != "map" and found.slow_count >= 3
        return any(then >= self.lasting * now for _, now, then in again.parts)
