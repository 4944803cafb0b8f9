"""Count, mean, variance and ends, merged by the formula of Chan, Golub and LeVeque."""

from __future__ import annotations

import math


class Moments:
    """Exact up to the rounding of floats; memory does not grow."""

    __slots__ = ("count", "m2", "max", "mean", "min")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.m2 = 0.0
        """Sum of squared distances from the mean."""
        self.min = math.inf
        self.max = -math.inf

    @property
    def variance(self) -> float:
        """Variance of the values as a whole population; 0 for none."""
        return max(self.m2, 0.0) / self.count if self.count else 0.0

    @property
    def std(self) -> float:
        """Standard deviation of the values as a whole population; 0 for none."""
        return math.sqrt(self.variance)

    def add(self, value: float) -> None:
        """Take one finite value."""
        self.count += 1
        distance = value - self.mean
        self.mean += distance / self.count
        self.m2 += distance * (value - self.mean)
        if value < self.min:  # noqa: PLR1730 - min() takes twice the time
            self.min = value
        if value > self.max:  # noqa: PLR1730 - max() takes twice the time
            self.max = value

    def add_summary(self, count: int, mean: float, m2: float, low: float, high: float) -> None:
        """Take `count` values of which only the summary is known (one tensor, one reduction)."""
        if count < 1:
            return
        total = self.count + count
        distance = mean - self.mean
        # Weighted so that the order of two sides does not matter more than rounding does.
        self.m2 += m2 + distance * distance * (self.count / total) * count
        self.mean += distance * (count / total)
        self.count = total
        self.min = min(self.min, low)
        self.max = max(self.max, high)

    def merge(self, other: Moments) -> None:
        """Take all values of `other`, which is left as it is."""
        self.add_summary(other.count, other.mean, other.m2, other.min, other.max)
