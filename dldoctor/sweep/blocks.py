"""The rate of one run with its interval, from blocks of deliveries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

BLOCKS = 10
_T90 = (0.0, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
"""Student's t for a two-sided 90% interval, by degrees of freedom."""


@dataclass(frozen=True)
class Rate:
    """Batches per second with the 90% interval."""

    value: float
    low: float
    high: float
    batches: int
    """Deliveries that were counted."""

    @property
    def half(self) -> float:
        """Half the width of the interval, relative to the value."""
        return (self.high - self.low) / 2 / self.value if self.value else math.inf


def steady(stamps_s: Sequence[float], flying: int) -> int:
    """Return the first delivery that counts: what was under way before the clock began does not.

    A short run keeps at least its last four deliveries, even if the window was still filling.
    """
    return max(1, min(flying + 1, len(stamps_s) - 5))


def rate_of(stamps_s: Sequence[float], flying: int) -> Rate | None:
    """Return the rate of a run from its delivery times; None below four counted deliveries.

    Deliveries that follow one another depend on one another, so the interval comes from blocks, each
    of at least the batches in flight where the run is long enough for that.
    """
    first = steady(stamps_s, flying)
    counted = list(stamps_s[first:])
    gaps = len(counted) - 1
    if gaps < 3 or counted[-1] <= counted[0]:
        return None
    value = gaps / (counted[-1] - counted[0])
    blocks = max(3, min(BLOCKS, gaps // max(2, flying), gaps)) if gaps >= 6 else gaps
    edges = [round(i * gaps / blocks) for i in range(blocks + 1)]
    seconds = [(counted[b] - counted[a]) / (b - a) for a, b in pairwise(edges) if b > a]
    mean = sum(seconds) / len(seconds)
    if len(seconds) < 2:
        return None
    variance = sum((one - mean) ** 2 for one in seconds) / (len(seconds) - 1)
    half = min(0.9, _T90[min(len(seconds) - 1, 9)] * math.sqrt(variance / len(seconds)) / mean)
    return Rate(value, value / (1 + half), value / (1 - half), gaps)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return mean, low and high of the 90% interval of the mean of a few values."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, -math.inf, math.inf
    variance = sum((one - mean) ** 2 for one in values) / (len(values) - 1)
    half = _T90[min(len(values) - 1, 9)] * math.sqrt(variance / len(values))
    return mean, mean - half, mean + half
