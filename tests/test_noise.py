"""A finding with an interval differs from another run only where that excludes its value."""

from __future__ import annotations

from typing import Any

import pytest

from dldoctor.evidence import Evidence
from dldoctor.evidence.profile import ProfileEvidence, StageShare
from dldoctor.evidence.sweep import SweepEvidence, SweepGain, SweepRates
from dldoctor.evidence.timing import Interval, TimingEvidence
from dldoctor.finding import Finding, Level
from dldoctor.noise import differs, interval


def finding(name: str, **facts: Any) -> Finding:
    return Finding("DL700", name, Level.WARNING, "a fact", "a step", facts=facts)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"value": 3, "low": 2, "high": 4}, ("value", 2.0, 4.0)),
        ({"share": 0.9, "ratio": 3.0, "low": 2, "high": 4}, ("ratio", 2.0, 4.0)),
        ({"gain": 0.3, "gain_low": 0.2, "gain_high": 0.4}, ("gain", 0.2, 0.4)),
        ({"share": 0.9}, None),
        ({"low": 2, "high": None, "value": 3}, None),
        ({"low": 2, "high": 4}, None),
    ],
)
def test_an_interval_is_of_the_fact_that_lies_in_it(facts: dict[str, Any], expected: object) -> None:
    """A share beside the bounds of a ratio is not what they are of."""
    assert interval(finding("x", **facts)) == expected


def timing(p50_ns: float = 0, rate: float = 0) -> Evidence:
    return Evidence(
        timing=TimingEvidence(
            first_batch_ns=0,
            batch_p50_ns=0,
            sample_p50=Interval(p50_ns, p50_ns, p50_ns),
            samples_per_s=Interval(rate, rate, rate),
        )
    )


def sweep(**values: Any) -> Evidence:
    return Evidence(sweep=SweepEvidence(SweepRates(loader=values.pop("rate", None)), (), None, **values))


def profile(stage: str, share: float) -> Evidence:
    one = StageShare(stage, 1, 1, share, share, share, 1, 0, 0, 1, share)
    return Evidence(profile=ProfileEvidence(1, 1, 0, 1, 1, stages=(one,)))


BUDGET = {"value": 30.0, "low": 28.0, "high": 33.0}
GAIN = {
    "gain": 0.3,
    "gain_low": 0.2,
    "gain_high": 0.4,
    "recommended": {"num_workers": 4, "prefetch_factor": 2},
}
MEASURED = {
    "sample time": (finding("budget-missed", budget="sample-p50-ms", **BUDGET), timing(29e6), timing(25e6)),
    "rate": (finding("budget-missed", budget="samples-per-s", **BUDGET), timing(rate=29), timing(rate=25)),
    "rate of a sweep": (
        finding("budget-missed", budget="samples-per-s", **BUDGET),
        sweep(rate=7.5, batch_size=4),
        sweep(rate=7.5, batch_size=3),
    ),
    "wait": (
        finding("budget-missed", budget="data-wait", value=0.3, low=0.2, high=0.4),
        sweep(wait_share=0.21),
        sweep(wait_share=0.1),
    ),
    "starving": (
        finding("consumer-starved", share=0.3, low=0.2, high=0.4), sweep(wait_share=0.21), sweep(wait_share=0.1),
    ),
    "stage": (
        finding("slow-stage", stage="decode", share=0.65, low=0.58, high=0.7),
        profile("decode", 0.59),
        profile("decode", 0.5),
    ),
    "another stage": (
        finding("slow-stage", stage="decode", share=0.65, low=0.58, high=0.7),
        profile("decode", 0.59),
        profile("collate", 0.59),
    ),
    "gain": (
        finding("worker-count", **GAIN),
        sweep(gain=SweepGain(0.25, 0, 1, num_workers=4, prefetch_factor=2)),
        sweep(gain=SweepGain(0.1, 0, 1, num_workers=4, prefetch_factor=2)),
    ),
    "gain of another setting": (
        finding("worker-count", **GAIN),
        sweep(gain=SweepGain(0.25, 0, 1, num_workers=4, prefetch_factor=2)),
        sweep(gain=SweepGain(0.25, 0, 1, num_workers=2, prefetch_factor=2)),
    ),
    "nothing measured": (finding("x", **BUDGET), None, Evidence()),
}  # fmt: skip


@pytest.mark.parametrize("case", MEASURED)
def test_what_was_measured_where_nothing_was_found_is_the_other_value(case: str) -> None:
    """Inside the interval it is noise; outside, or unknown, it is a change."""
    one, inside, outside = MEASURED[case]
    assert inside is None or not differs(one, None, inside)
    assert differs(one, None, outside)
