"""DL701 consumer-starved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sweep import better_setting, bound_text, rate_text, setting_text
from dldoctor.checks.wording import percent
from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ConsumerStarved(Check):
    """The training step waits for data.

    ## Why it hurts
    While the step waits, the accelerator idles: a share of 30% means that nearly a third of what it
    costs buys nothing.

    ## What to do
    If a better setting was found, use it. If the cores are full, more workers cannot help: make the
    slow stage cheaper (`dldoctor profile` says which), store the data decoded or smaller, or give
    the loader more cores. If time passes waiting for storage, more workers than cores do help.

    ## When it is wrong
    If the declared step (`--step-ms`) is shorter than the real one, or another machine trains. A
    simulated step waits without computing; `--host-ms` declares the part that computes.
    """

    rule = "DL701"
    name = "consumer-starved"
    level = Level.WARNING
    by = ("sweep",)
    needs = ("loader", "sweep")

    min_wait: float = 0.05
    """Share of the time that the consumer must be shown to wait."""
    plenty: float = 3.0
    """A loader that is so many times faster than the consumer does not starve it: what it waits for is the
    hand-over of a batch, or a core that something else has."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the share of waiting, with its interval, with what is bearable."""
        sweep = case.evidence.sweep
        assert sweep is not None
        if sweep.consumer.kind == "none":
            yield not_applicable("no consumer was given (`--step-ms`, `--step` or `--step-from`)")
            return
        if sweep.wait_share is None or sweep.wait_low is None:
            yield insufficient("the current setting was not run with the consumer")
            return
        if sweep.wait_low <= self.min_wait:
            if sweep.wait_share > self.min_wait:
                yield self._perhaps(sweep)
            return
        yield self._starved(sweep, plenty=_is_plenty(sweep, self.plenty))

    def _perhaps(self, sweep: SweepEvidence) -> Finding:
        share, low, high = sweep.wait_share or 0.0, sweep.wait_low or 0.0, sweep.wait_high or 1.0
        return self.finding(
            f"the consumer waits {percent(share)} of the time for data, but the noise of the runs "
            f"({percent(low)} to {percent(high)}) does not exclude that it hardly waits",
            advice="Sweep again on a quiet machine, or for longer (`--time-budget`).",
            level=Level.INFO,
            share=share,
            low=low,
            high=high,
        )

    def _starved(self, sweep: SweepEvidence, *, plenty: bool) -> Finding:
        label = {"simulated": "simulated ", "trace": "simulated "}.get(sweep.consumer.kind, "")
        low, high = sweep.wait_low or 0.0, sweep.wait_high or 1.0
        bound = bound_text(sweep)
        return self.finding(
            f"the {label}consumer waits {percent(sweep.wait_share or 0.0)} of the time for data "
            f"({percent(low)} to {percent(high)}): it takes {rate_text(sweep.rates.consumer)}"
            + (f", the loader gives {rate_text(sweep.rates.loader)}" if sweep.rates.loader else "")
            + ("; it waits for the hand-over of batches, not for their making" if plenty else "")
            + (f"; {bound}" if bound and not plenty else ""),
            advice="Send fewer and larger tensors, or take batches ahead of the step; a faster loader would not help."
            if plenty
            else _advice(sweep),
            level=Level.INFO if plenty else self.level,
            share=sweep.wait_share,
            low=low,
            high=high,
            consumer_rate=sweep.rates.consumer,
            loader_rate=sweep.rates.loader,
            cores_rate=sweep.rates.cores,
            recommended=sweep.recommended,
        )


def _is_plenty(sweep: SweepEvidence, times: float) -> bool:
    loader, consumer = sweep.rates.loader, sweep.rates.consumer
    return loader is not None and consumer is not None and loader > times * consumer


def _advice(sweep: SweepEvidence) -> str:
    if better_setting(sweep) != "none":
        rest = "" if sweep.keeps_up else "; it shortens the waiting and does not end it"
        return f"Use `DataLoader(..., {setting_text(sweep.recommended)})`{rest}."
    if sweep.verdict == "cores-full":
        return "Make the slow stage of a sample cheaper: the cores are full, and more workers cannot help."
    if sweep.verdict == "too-noisy":
        return "Sweep again on a quiet machine: other work hides which setting is better."
    if sweep.verdict == "check":
        return "Run `dldoctor sweep` without `--check` to look for a better setting."
    return "Make the slow stage of a sample cheaper: no other setting is faster by more than the noise."
