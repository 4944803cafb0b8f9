"""DL705 worker-count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.sweep import (
    better_setting,
    bound_text,
    gain_text,
    now,
    rate_text,
    setting_text,
    tried,
    workers_text,
)
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class WorkerCount(Check):
    """Another number of workers, or another prefetch factor, is faster by more than the noise.

    ## Why it hurts
    The same hardware could feed the training faster. Too few workers leave cores idle or let each
    wait for storage in turn; too many fight over the cores and fill the memory.

    ## What to do
    Paste the line that the report recommends: it is the smallest setting that keeps the consumer
    busy, or, without a consumer, the smallest whose rate is within 3% of the best.

    ## When it is wrong
    On another machine than the one that trains. Two settings are compared in runs made in turn
    (current, new, new, current); if other programs come and go in between, `noisy-machine` says so.
    Without a consumer (`--step-ms`, `--step`) a faster loader is not yet a faster training.
    """

    rule = "DL705"
    name = "worker-count"
    level = Level.WARNING
    by = ("sweep",)
    needs = ("loader", "sweep")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report the better setting, where the paired runs show one."""
        sweep, spec = case.evidence.sweep, case.evidence.loader
        assert sweep is not None
        assert spec is not None
        if sweep.verdict == "check":
            yield insufficient("only the current setting was measured (`--check`)")
        elif sweep.verdict == "too-noisy":
            yield insufficient("other work on this machine hides the difference between settings")
        elif sweep.verdict == "predicted":
            yield insufficient("no time was left to run the predicted setting against the current one")
        elif better_setting(sweep) == "worker-count":
            assert sweep.gain is not None
            before, after, gain = now(sweep), tried(sweep), sweep.gain
            why = bound_text(sweep)
            yield self.finding(
                f"{workers_text(sweep.recommended)} give "
                f"{rate_text(after.measured if after else None)} where {workers_text(sweep.current)} give "
                f"{rate_text(before.measured if before else None)}: "
                f"{gain_text(gain.value, gain.low, gain.high)} in paired runs" + (f"; {why}" if why else ""),
                advice=f"Use `DataLoader(..., {setting_text(sweep.recommended)})`.",
                level=self.level if spec.settings_known or "num_workers" in spec.chosen else Level.INFO,
                gain=gain.value,
                gain_low=gain.low,
                gain_high=gain.high,
                rate_now=before.measured if before else None,
                rate_recommended=after.measured if after else None,
                recommended=sweep.recommended,
                current=sweep.current,
            )
