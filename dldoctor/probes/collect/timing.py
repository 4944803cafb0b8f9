"""Times of a run and their intervals."""

from __future__ import annotations

import math
from typing import Protocol

from dldoctor.evidence.timing import Interval, SlowSample, TimingEvidence
from dldoctor.probes.collect.intervals import blocks_of, interval_of
from dldoctor.probes.sketches import DistributionSketch

LEAST = 10
"""Counted batches below which a rate with its interval says nothing."""


class Timed(Protocol):
    """Who knows what samples took."""

    times: DistributionSketch


class TimeCollector:
    """Sums up when batches arrived."""

    def __init__(self, in_flight: int) -> None:
        """Start; the first `in_flight` batches come from a cold window and are not counted."""
        self.in_flight = in_flight
        self.first_ns = 0
        self.batches = 0
        self.gaps = DistributionSketch()
        self.collate = DistributionSketch()
        self._rows: list[tuple[int, int]] = []
        """``(nanoseconds, rows)`` of each counted batch, at most 20,000."""
        self.slowest_ns = 0

    def add(self, elapsed_ns: int, rows: int, collate_ns: int) -> None:
        """Count one batch that took `elapsed_ns` to come."""
        self.batches += 1
        self.slowest_ns = max(self.slowest_ns, elapsed_ns)
        self.collate.add(collate_ns)
        if self.batches == 1:
            self.first_ns = elapsed_ns
        if self.batches > max(1, self.in_flight):
            self.count(elapsed_ns, rows)

    def count(self, elapsed_ns: int, rows: int) -> None:
        """Count a batch of which it is known that its window is warm."""
        self.gaps.add(elapsed_ns, max(0, self.batches - 1))
        if len(self._rows) < 20_000:
            self._rows.append((elapsed_ns, rows))

    def rate(self) -> Interval | None:
        """Return samples per second from blocks of batches; null below `LEAST` counted batches."""
        if len(self._rows) < LEAST:
            return None
        rates = []
        for part in blocks_of(len(self._rows)):
            block = self._rows[part]
            rates.append(sum(rows for _, rows in block) / max(1, sum(ns for ns, _ in block)) * 1e9)
        mean, low, high = interval_of(rates)
        return Interval(mean, max(0.0, low), high)

    def evidence(self, samples: Timed, own_ns: int, cpu_ns: int, elapsed_ns: int) -> TimingEvidence:
        """Return the times so far."""
        gaps, reads = self.gaps.evidence(), samples.times.evidence()
        collate = self.collate.evidence()
        middle = None
        if reads is not None:
            # A median's interval, by the ranks that a binomial allows: cheap and free of a model.
            spread = 0.5 * 1.645 / math.sqrt(reads.count)
            quantiles = samples.times.quantiles
            middle = Interval(
                reads.p50,
                quantiles.quantile(max(0.0, 0.5 - spread)),
                quantiles.quantile(min(1.0, 0.5 + spread)),
            )
        return TimingEvidence(
            first_batch_ns=self.first_ns,
            batch_p50_ns=round(gaps.p50) if gaps else self.first_ns,
            sample_p50_ns=round(reads.p50) if reads else None,
            batches=gaps,
            samples=reads,
            samples_per_s=self.rate(),
            sample_p50=middle,
            collate_p50_ns=round(collate.p50) if collate else None,
            slowest=tuple(
                SlowSample(extreme.id, round(extreme.value), "sample")
                for extreme in (reads.largest if reads else ())
            ),
            counted_batches=len(self._rows),
            elapsed_ns=elapsed_ns,
            overhead_ns=own_ns,
            loader_cpu_ns=cpu_ns,
        )
