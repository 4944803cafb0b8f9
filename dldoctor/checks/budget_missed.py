"""DL001 budget-missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.memory import footprint
from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.evidence.timing import Interval
from dldoctor.finding import Finding, Level, Unjudged
from dldoctor.intent import BUDGETS

AT_LEAST = frozenset({"samples-per-s"})
"""Budgets that a value must reach; the others it must not exceed."""

NOT_MEASURED = {
    "memory-fraction": "`watch-memory` measures it",
    "data-wait": "it needs a training step that consumes the batches",
    "truncated": "it needs the limit at which texts are cut",
}
"""Budgets that reading samples and batches does not measure, and why."""


@dataclass(frozen=True)
class BudgetMissed(Check):
    """A limit that you declared for this pipeline is not kept.

    ## Why it hurts
    A budget (`sample-p50-ms`, `samples-per-s`, `padding`, ...) states what the training run needs.
    A pipeline that misses one was fast or tidy enough once and no longer is, or never was.

    ## What to do
    Look at what changed since the budget was last met: the report shows the time per sample and
    per batch, the share of padding and the sizes behind it. If the need has changed, change the
    budget in the config.

    ## When it is wrong
    Times depend on the machine and on what else it runs. A budget is missed only where the whole
    90% interval of the measured value lies on the wrong side of it; where the budget lies inside
    the interval, the answer is a note. Measure on the machine that the budget was made for.
    """

    rule = "DL001"
    name = "budget-missed"
    level = Level.ERROR
    by = ("all",)

    min_rows: int = 32
    """Rows that must have been read before the share of padding is judged."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare each declared budget with its measured interval."""
        budgets = case.intent.budgets
        if not budgets:
            yield not_applicable("no budget is declared")
            return
        measured: dict[str, Interval] = {}
        open_: dict[str, str] = {}
        for name in budgets:
            value = self._measure(case, name)
            if isinstance(value, Interval):
                measured[name] = value
            else:
                open_[name] = value
        reasons = "; ".join(f"`{name}` was not measured: {why}" for name, why in open_.items())
        if not measured:
            yield insufficient(reasons)
            return
        for name, value in measured.items():
            yield from self._compare(case, name, value)
        if open_:
            yield self.finding(
                reasons,
                advice="Judge this budget with the command that measures it.",
                level=Level.INFO,
                budgets={name: budgets[name] for name in open_},
            )

    def _measure(self, case: Case, name: str) -> Interval | str:
        """Return the measured value in the unit of the budget, or why there is none."""
        known = case.evidence.loader is None or case.evidence.loader.settings_known
        if case.evidence.sweep is not None and name in BY_SWEEP and (known or name == "data-wait"):
            return BY_SWEEP[name](case.evidence.sweep)
        memory, machine = case.evidence.memory, case.evidence.machine
        if name == "memory-fraction" and memory is not None and machine is not None:
            share = footprint(case) * max(1, machine.ranks) / max(1, machine.memory_limit_bytes)
            return Interval(share, share, share)
        if name in NOT_MEASURED:
            return NOT_MEASURED[name]
        spec, timing = case.evidence.loader, case.evidence.timing
        if name == "sample-p50-ms":
            if timing is None or timing.sample_p50 is None:
                return "too few samples were timed"
            found = timing.sample_p50
            return Interval(found.value / 1e6, found.low / 1e6, found.high / 1e6)
        if spec is not None and not spec.settings_known:
            return "it depends on the batch size, and none was given with the bare dataset"
        if name == "samples-per-s":
            if timing is None or timing.samples_per_s is None:
                return "too few batches were timed"
            return timing.samples_per_s
        if name == "padding":
            return self._padding(case)
        return "no such quantity is known"

    def _padding(self, case: Case) -> Interval | str:
        batches = case.evidence.batches
        padding = batches.padding if batches else None
        if padding is None:
            return "no padded token field was found"
        if padding.rows < self.min_rows:
            return f"only {padding.rows} of at least {self.min_rows} rows were read"
        return Interval(padding.share, padding.low, padding.high)

    def _compare(self, case: Case, name: str, value: Interval) -> Iterator[Finding]:
        budget = case.intent.budgets[name]
        floor = name in AT_LEAST
        missed = value.high < budget if floor else value.low > budget
        met = value.low >= budget if floor else value.high <= budget
        if met:
            return
        bound = "at least" if floor else "at most"
        spread = f"{_number(value.low)} to {_number(value.high)}"
        verdict = "is missed" if missed else "is too close to the measured value to tell"
        yield self.finding(
            f"budget `{name}` ({bound} {_number(budget)}) {verdict}: measured {_number(value.value)} ({spread})",
            advice=_advice(name) if missed else "Read more batches (`--batches`) to narrow the interval.",
            level=self.level if missed else Level.INFO,
            budget=name,
            limit=budget,
            what=BUDGETS.get(name, ""),
            value=value.value,
            low=value.low,
            high=value.high,
        )


def _waiting(sweep: SweepEvidence) -> Interval | str:
    if sweep.consumer.kind == "none":
        return "no consumer was given (`--step-ms`, `--step` or `--step-from`)"
    if sweep.wait_share is None or sweep.wait_low is None or sweep.wait_high is None:
        return "the current setting was not run with the consumer"
    return Interval(sweep.wait_share, sweep.wait_low, sweep.wait_high)


def _rate(sweep: SweepEvidence) -> Interval | str:
    rates, size = sweep.rates, sweep.batch_size
    if rates.loader is None or rates.loader_low is None or rates.loader_high is None:
        return "the loader was not timed alone"
    if size is None:
        return "the loader's batches have no fixed size"
    return Interval(size * rates.loader, size * rates.loader_low, size * rates.loader_high)


BY_SWEEP = {"data-wait": _waiting, "samples-per-s": _rate}
"""Budgets that a sweep measures, and how."""


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _advice(name: str) -> str:
    if name == "memory-fraction":
        return "Use fewer workers or less prefetch, or keep less of the dataset in memory."
    if name == "padding":
        return "Batch samples of similar length together."
    if name == "samples-per-s":
        return "Raise `num_workers`, or shorten the slowest stage of a sample."
    return "Shorten the slowest stage of a sample."
