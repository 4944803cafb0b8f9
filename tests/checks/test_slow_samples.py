"""DL703 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.slow_samples import SlowSamples
from dldoctor.evidence.profile import OrderEvidence
from dldoctor.evidence.trial import Trial
from tests.checks.profiles import PROFILE, judged

ORDER = OrderEvidence(1_000_000, 3, 750_000_000, 192, 10.0, 15.0, 20.0, (29, 90, 131), "decode")
AGAIN = Trial(
    "again", 250_000_000, 240_000_000, 1.04, 1.0, 1.0, 1, "sample", parts=(("29", 250_000_000, 240_000_000),)
)


def found(
    order: OrderEvidence = ORDER, trials: tuple[Trial, ...] = (AGAIN,), **settings: Any
) -> list[tuple[str, str, str]]:
    return judged(SlowSamples(), replace(PROFILE, order=order, trials=trials), **settings)


def test_names_the_samples_and_what_order_costs() -> None:
    """With several workers `in_order=False` is the step, where it helps."""
    message = (
        "3 samples of 192 take 250 ms where the median takes 1 ms, mostly in decode (samples 29, 90 and 131); "
        "without them the loader would gain 100%, `in_order=False` 50%"
    )
    advice = (
        "Pass `in_order=False`, if the order may depend on timing; else shrink or leave out these samples."
    )
    assert found() == [("warning", message, advice)]
    assert [one[2] for one in found(num_workers=0)] == [
        "Shrink these samples, re-encode them, or leave them out."
    ]


def test_what_is_slow_by_chance_is_a_note() -> None:
    """Read again, the samples are as fast as the rest."""
    by_chance = replace(AGAIN, parts=(("29", 250_000_000, 1_000_000),))
    assert [one[0] for one in found(trials=(by_chance,))] == ["info"]
    assert [one[0] for one in found(trials=())] == ["info"]
    assert [one[0] for one in found(trials=(), kind="iterable")] == ["warning"]


def test_slow_samples_that_cost_little_are_no_finding() -> None:
    """Below 2% of the rate."""
    assert found(replace(ORDER, rate_without_slow=10.1)) == []


def test_few_samples_are_too_little() -> None:
    """31 samples say nothing."""
    assert [one[0] for one in found(replace(ORDER, samples=31))] == ["insufficient-evidence"]
