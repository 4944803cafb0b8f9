"""DL710 in-memory-rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sweep import (
    better_setting,
    gain_text,
    now,
    rate_text,
    setting_text,
    tried,
    workers_text,
)
from dldoctor.checks.wording import figure
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class InMemoryRows(Check):
    """Workers slow down data that lies in memory and only needs indexing.

    ## Why it hurts
    Taking a row out of an array costs microseconds. Sending the finished batch from a worker to the
    main process costs far more than making it, so each worker added makes the loader slower.

    ## What to do
    Use `num_workers=0`. If that is still too slow, index the whole batch at once instead of row by
    row: give the loader a batch sampler as `sampler` with `batch_size=None`, so that
    `__getitem__` gets the list of indices and returns `data[indices]`.

    ## When it is wrong
    If samples will be transformed in training and are not here, or if the consumer leaves the main
    process no time to index between two steps: declare it with `--step` or `--step-ms --host-ms`.
    """

    rule = "DL710"
    name = "in-memory-rows"
    level = Level.WARNING
    by = ("sweep",)
    needs = ("loader", "sweep")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report workers that cost more than they bring."""
        sweep = case.evidence.sweep
        assert sweep is not None
        if not (sweep.current or {}).get("num_workers"):
            yield not_applicable("the loader has no workers")
            return
        if sweep.verdict in ("check", "too-noisy", "predicted"):
            yield insufficient("the current setting was not compared with fewer workers")
            return
        if better_setting(sweep) != "in-memory":
            return
        assert sweep.gain is not None
        before, after, gain = now(sweep), tried(sweep), sweep.gain
        made = (sweep.batch_cpu_ns + sweep.batch_blocked_ns) / 1e6
        yield self.finding(
            f"{workers_text(sweep.current)} give {rate_text(before.measured if before else None)} and "
            f"{workers_text(sweep.recommended)} {rate_text(after.measured if after else None)} "
            f"({gain_text(gain.value, gain.low, gain.high)}): a batch is made in {figure(made)} ms, and handing it "
            f"over from a worker costs {figure(sweep.hand_over_ns / 1e6)} ms",
            advice=f"Use `DataLoader(..., {setting_text(sweep.recommended)})`.",
            gain=gain.value,
            gain_low=gain.low,
            gain_high=gain.high,
            rate_now=before.measured if before else None,
            rate_recommended=after.measured if after else None,
            batch_ns=sweep.batch_cpu_ns + sweep.batch_blocked_ns,
            hand_over_ns=sweep.hand_over_ns,
            recommended=sweep.recommended,
        )
