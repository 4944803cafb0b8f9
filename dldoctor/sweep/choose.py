"""Which setting to try against the current one, and what the paired runs then say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dldoctor.sweep.model import Setting
from dldoctor.sweep.predict import Prediction

IDLE_SHARE = 0.02
"""Share of the step that a consumer may wait and still count as busy."""
FLAT = 0.97
"""Settings from this share of the best rate on are the same to the user; the smallest is taken."""
WORTH = 0.03
"""Gain below which a change is not worth a finding."""
QUIET = 0.05
"""Impact of foreign work below which runs of one setting differ for reasons of their own."""
_SURE = 2.0
"""Standard deviations of the difference that an interval reaches."""

Verdict = Literal["change", "fewer", "keep", "cores-full", "too-noisy", "predicted"]


@dataclass(frozen=True)
class Choice:
    """The setting that the model would take."""

    setting: Setting
    keeps_up: bool
    """The consumer hardly waits, with 90% confidence; false without a consumer."""
    equal: tuple[Setting, ...]
    """Settings that are as good, the taken one included."""


def choose(predictions: Sequence[Prediction], *, consumer: bool) -> Choice:
    """Return the smallest setting that keeps the consumer busy, or else is as fast as any.

    `predictions` are those that the machine can hold, at least one.
    """
    ordered = sorted(predictions, key=lambda one: one.setting)
    if consumer:
        busy = tuple(one.setting for one in ordered if one.wait_high <= IDLE_SHARE)
        if busy:
            return Choice(busy[0], keeps_up=True, equal=busy)
    best = max(one.rate for one in ordered)
    equal = tuple(one.setting for one in ordered if one.rate >= FLAT * best)
    return Choice(equal[0], keeps_up=False, equal=equal)


@dataclass(frozen=True)
class Gain:
    """Rate of one setting over that of another, less one, from paired runs."""

    value: float
    low: float
    high: float
    pairs: tuple[float, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether the interval excludes that there is none, and it is worth the change."""
        return self.low > 0 and self.value >= WORTH

    @property
    def lost(self) -> bool:
        """Whether the interval excludes that nothing is lost."""
        return self.high < 0 and self.value <= -WORTH


@dataclass(frozen=True)
class Paired:
    """One run of a pair."""

    rate: float
    half: float = 0.0
    """Half the relative width of the rate's own interval."""
    impact: float = 0.0
    """Part of the run's time that foreign work took, at most."""

    @property
    def most(self) -> float:
        """The rate without that work, at most: others can only slow a run down."""
        return self.rate / max(0.05, 1 - self.impact)


def gain_of(before: Sequence[Paired], after: Sequence[Paired]) -> Gain:
    """Return the gain over pairs of runs, neighbours in time.

    With two pairs Student's t says nothing. The interval is at least twice what runs of one setting
    differ by, and it holds every pair of a run with one of the other setting, each as slow as it was
    or as fast as it may have been without foreign work.
    """
    ratios = [b.rate / a.rate for a, b in zip(before, after, strict=True)]
    value = sum(ratios) / len(ratios)
    own = sum(one.half for one in (*before, *after)) / (len(before) + len(after)) / 1.645
    quiet = max((one.impact for one in (*before, *after)), default=0.0) < QUIET
    spread = max(own, 0.005, *(_spread(runs) for runs in (before, after) if quiet))
    sure = _SURE * spread * math.sqrt(2 / len(ratios))
    worst = min(one.rate for one in after) / max(one.most for one in before)
    best = max(one.most for one in after) / min(one.rate for one in before)
    low, high = min(value * (1 - sure), worst), max(value * (1 + sure), best)
    return Gain(value - 1, low - 1, high - 1, tuple(ratio - 1 for ratio in ratios))


def _spread(runs: Sequence[Paired]) -> float:
    """Return the standard deviation of runs of one setting over their mean."""
    if len(runs) < 2:
        return 0.0
    mean = sum(one.rate for one in runs) / len(runs)
    return math.sqrt(sum((one.rate - mean) ** 2 for one in runs) / (len(runs) - 1)) / mean


def settle(
    current: Setting, pick: Setting, gain: Gain | None, *, cores_full: bool, satisfied: bool, noisy: bool
) -> tuple[Verdict, Setting | None]:
    """Return the verdict and the setting to recommend.

    `satisfied` says that the consumer hardly waits under the current setting; `noisy` that other
    work disturbed the runs beyond what repeating could mend.
    """
    clear = gain is not None and (gain.shown or gain.lost)
    if noisy and not (clear and gain is not None and gain.shown):
        return "too-noisy", None
    if gain is not None and gain.shown and pick != current:
        return "change", pick
    if gain is not None and not gain.lost and pick < current and pick.workers < current.workers:
        return "fewer", pick
    return ("cores-full" if cores_full and not satisfied else "keep"), current
