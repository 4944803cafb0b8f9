"""One distribution with the samples at its ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest, nsmallest
from operator import itemgetter

from dldoctor.evidence.distribution import Distribution
from dldoctor.finding import SampleId
from dldoctor.probes.sketches.extremes import Extremes
from dldoctor.probes.sketches.moments import Moments
from dldoctor.probes.sketches.quantiles import QuantileSketch

BARS = 20


class DistributionSketch:
    """Takes numbers with the ids of their samples and gives a `Distribution`."""

    __slots__ = ("extremes", "moments", "quantiles")

    def __init__(self, keep: int = 3) -> None:
        self.quantiles = QuantileSketch()
        self.moments = Moments()
        self.extremes = Extremes(keep)

    @property
    def count(self) -> int:
        """How many finite values were taken."""
        return self.quantiles.count

    @property
    def nonfinite(self) -> int:
        """How many values were left out because they are not finite."""
        return self.quantiles.nonfinite

    def add(self, value: float, sample: SampleId | None = None) -> None:
        """Take one value, with the sample that has it where there is one."""
        try:
            value = float(value)
        except OverflowError:  # a whole number beyond the floats
            self.quantiles.nonfinite += 1
            return
        self.quantiles.add(value)
        if value - value != 0:
            return
        self.moments.add(value)
        if sample is not None:
            self.extremes.add(value, sample)

    def add_many(self, value: float, count: int, samples: Iterable[SampleId]) -> None:
        """Take one finite value of `count` samples of which only some are known by id."""
        self.quantiles.add(value, count)
        self.moments.add_summary(count, value, 0.0, value, value)
        for sample in samples:
            self.extremes.add(value, sample)

    def add_all(self, values: Sequence[float], samples: Sequence[SampleId] = ()) -> None:
        """Take many finite values at once, with the sample of each where those are known."""
        if not values:
            return
        self.quantiles.add_all(values)
        mean = sum(values) / len(values)
        m2 = sum((value - mean) ** 2 for value in values)
        self.moments.add_summary(len(values), mean, m2, min(values), max(values))
        pairs = list(zip(values, samples, strict=False))
        keep = self.extremes.keep
        for value, sample in (
            *nsmallest(keep, pairs, key=itemgetter(0)),
            *nlargest(keep, pairs, key=itemgetter(0)),
        ):
            self.extremes.add(value, sample)

    def merge(self, other: DistributionSketch) -> None:
        """Take all values of `other`, which is left as it is."""
        self.quantiles.merge(other.quantiles)
        self.moments.merge(other.moments)
        self.extremes.merge(other.extremes)

    def evidence(self) -> Distribution | None:
        """Return the summary; None where no finite value came."""
        sketch, moments = self.quantiles, self.moments
        if not sketch.count:
            return None
        return Distribution(
            count=sketch.count,
            min=sketch.min,
            max=sketch.max,
            mean=moments.mean,
            std=moments.std,
            p1=sketch.quantile(0.01),
            p50=sketch.quantile(0.5),
            p90=sketch.quantile(0.9),
            p99=sketch.quantile(0.99),
            histogram=sketch.histogram(BARS),
            smallest=self.extremes.smallest,
            largest=self.extremes.largest,
        )
