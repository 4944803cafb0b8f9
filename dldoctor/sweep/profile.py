"""What samples and batches cost in one process, and how batches are drawn from that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from dldoctor.sweep.model import Work

POOL = 600
"""Batches that are put together from samples."""

Cost = tuple[float, float]
"""CPU seconds and blocked seconds."""


@dataclass(frozen=True)
class Profile:
    """Costs as measured without workers. No distribution is assumed: they are drawn again."""

    samples: tuple[Cost, ...] = ()
    """One entry a sample; empty where only whole batches could be timed."""
    batch_size: int = 1
    """Samples in a batch, where `samples` are known."""
    collate: tuple[Cost, ...] = ()
    """One entry a batch."""
    batches: tuple[Cost, ...] = ()
    """Whole batches, where single samples cannot be told apart."""

    @property
    def mean(self) -> Cost:
        """Mean cost of a batch."""
        if not self.samples:
            return _mean(self.batches)
        one, together = _mean(self.samples), _mean(self.collate)
        return self.batch_size * one[0] + together[0], self.batch_size * one[1] + together[1]

    @property
    def blocked_share(self) -> float:
        """Share of a batch's time that needs no core."""
        cpu, wait = self.mean
        return wait / (cpu + wait) if cpu + wait > 0 else 0.0

    @property
    def variation(self) -> float:
        """Standard deviation of what is drawn (a sample, or a batch) over its mean."""
        return variation([cpu + wait for cpu, wait in self.samples or self.batches])

    def pooled(self) -> Profile:
        """Return the same costs as whole batches, put together once: drawing samples anew is slow."""
        if not self.samples:
            return self
        rng = Random(7)  # noqa: S311 - drawing again, not secrets
        together = self.collate or ((0.0, 0.0),)
        batches = []
        for _ in range(POOL):
            drawn = rng.choices(self.samples, k=self.batch_size)
            cpu, wait = rng.choice(together)
            batches.append((cpu + sum(c for c, _ in drawn), wait + sum(w for _, w in drawn)))
        return Profile(batches=tuple(batches))

    def draw(self, rng: Random, count: int, factor: float = 1.0, extra_s: float = 0.0) -> Work:
        """Return the work of `count` batches; `extra_s` is CPU time that workers add to each.

        `factor` scales CPU and waiting alike: what the probes' rates say about the profile.
        """
        pool = self.batches or self.pooled().batches
        drawn = rng.choices(pool, k=count)
        return Work(
            tuple((cpu + extra_s) * factor for cpu, _ in drawn), tuple(wait * factor for _, wait in drawn)
        )


def samples_wanted(variation_: float, least: int = 64, most: int = 2000) -> int:
    """Return how many samples give the mean within 5%, by the variation seen so far."""
    return min(most, max(least, math.ceil((1.96 * variation_ / 0.05) ** 2)))


def variation(values: Sequence[float]) -> float:
    """Return standard deviation over mean."""
    if len(values) < 2:
        return 0.0
    mean = sum(values) / len(values)
    if mean <= 0:
        return 0.0
    return math.sqrt(sum((one - mean) ** 2 for one in values) / (len(values) - 1)) / mean


def _mean(costs: Sequence[Cost]) -> Cost:
    if not costs:
        return 0.0, 0.0
    return sum(c for c, _ in costs) / len(costs), sum(w for _, w in costs) / len(costs)
