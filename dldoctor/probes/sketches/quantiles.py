"""Quantiles within a relative error, in log-spaced buckets (as DDSketch does)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from dldoctor.evidence.distribution import Bin

RELATIVE_ERROR = 0.01
"""How far a quantile may lie from the exact one, as a share of its value."""
EXACT_UP_TO = 64
"""So many values are kept as they are, so that quantiles of small datasets are exact."""
BUCKET_SPAN = 4096
"""Buckets of one sign, counted from the largest magnitude: 17 decades."""

# Half of the error is kept for rounding to whole numbers, see `QuantileSketch._presented`.
_GAMMA = (1 + RELATIVE_ERROR / 2) / (1 - RELATIVE_ERROR / 2)
_LOG_GAMMA = math.log(_GAMMA)
_PER_LOG_GAMMA = 1 / _LOG_GAMMA
_LOG_MIDDLE = math.log(2 / (1 + _GAMMA))
_LOG_LARGEST = 709.78  # exp() of more overflows
_EXACT_WHOLE = 2**53  # floats beyond it skip whole numbers

Buckets = dict[int, int]


class QuantileSketch:
    """A multiset of numbers; `count`, `min` and `max` are exact.

    Its state depends on the values alone, never on the order in which they came or were merged.
    Values that are not finite are counted in `nonfinite` and are otherwise left out.
    Magnitudes more than 17 decades below the largest are taken for the smallest kept one.
    """

    __slots__ = ("_negative", "_positive", "_raw", "_zeros", "count", "integral", "max", "min", "nonfinite")

    def __init__(self) -> None:
        self.count = 0
        self.min = math.inf
        self.max = -math.inf
        self.nonfinite = 0
        self.integral = True
        """Only whole numbers were seen."""
        self._raw: list[float] | None = []
        self._positive: Buckets = {}
        self._negative: Buckets = {}
        self._zeros = 0

    def add(self, value: float, weight: int = 1) -> None:
        """Take one value, `weight` times."""
        if value - value != 0:  # NaN and both infinities
            self.nonfinite += weight
            return
        if weight < 1:
            return
        self.count += weight
        if value < self.min:  # noqa: PLR1730 - min() takes twice the time
            self.min = value
        if value > self.max:  # noqa: PLR1730 - max() takes twice the time
            self.max = value
        if self.integral and value % 1:
            self.integral = False
        if self._raw is not None:
            if self.count <= EXACT_UP_TO:
                self._raw.extend([value] * weight) if weight > 1 else self._raw.append(value)
                return
            self._spill()
        if not value:
            self._zeros += weight
            return
        side = self._positive if value > 0 else self._negative
        key = math.ceil(math.log(abs(value)) * _PER_LOG_GAMMA)
        side[key] = side.get(key, 0) + weight
        if len(side) > 2 * BUCKET_SPAN:
            self._collapse()

    def add_all(self, values: Sequence[float]) -> None:
        """Take many values, once each; several times faster than one by one."""
        finite = [value for value in values if value - value == 0]
        self.nonfinite += len(values) - len(finite)
        if not finite:
            return
        self.count += len(finite)
        self.min = min([self.min, *finite])
        self.max = max([self.max, *finite])
        self.integral = self.integral and not any(value % 1 for value in finite)
        if self._raw is not None:
            if self.count <= EXACT_UP_TO:
                self._raw.extend(finite)
                return
            self._spill()
        self._file_all(finite)
        self._collapse()

    def merge(self, other: QuantileSketch) -> None:
        """Take all values of `other`, which is left as it is."""
        self.nonfinite += other.nonfinite
        if not other.count:
            return
        self.count += other.count
        self.min = min(self.min, other.min)
        self.max = max(self.max, other.max)
        self.integral = self.integral and other.integral
        if self._raw is not None and other._raw is not None and self.count <= EXACT_UP_TO:
            self._raw.extend(other._raw)
            return
        if self._raw is not None:
            self._spill()
        if other._raw is not None:
            self._file_all(other._raw)
        else:
            _pour(other._positive, self._positive)
            _pour(other._negative, self._negative)
            self._zeros += other._zeros
        self._collapse()

    def quantile(self, q: float) -> float:
        """Return the value of rank ``ceil(q * count)``, counted from 1 (nearest rank).

        It is exact for up to 64 values, at both ends, and for whole numbers up to 100; elsewhere
        it is within 1% of the exact one.
        """
        if not self.count:
            raise ValueError("an empty sketch has no quantiles")
        rank = max(1, math.ceil(q * self.count - 1e-9))
        if rank == 1:
            return self.min
        if rank >= self.count:
            return self.max
        if self._raw is not None:
            return sorted(self._raw)[rank - 1]
        for value, count in self._ascending():
            rank -= count
            if rank <= 0:
                return value
        return self.max

    def histogram(self, bins: int = 20) -> tuple[Bin, ...]:
        """Return at most `bins` bars of equal width over the range; their counts add up to `count`.

        Whole numbers get bars with whole edges. A value within 1% of an edge may count beyond it.
        """
        if not self.count:
            return ()
        edges, last = self._edges(bins)
        counts = [0] * len(edges)
        pairs = self._ascending() if self._raw is None else [(value, 1) for value in self._raw]
        for value, count in pairs:
            counts[max(bisect_right(edges, value) - 1, 0)] += count
        highs = [*edges[1:], last]
        return tuple(Bin(*bar) for bar in zip(edges, highs, counts, strict=True))

    def _edges(self, bins: int) -> tuple[list[float], float]:
        if self.integral and self.max - self.min < _EXACT_WHOLE:
            low, span = int(self.min), int(self.max) - int(self.min) + 1
            step = -(-span // bins)
            return [float(low + i) for i in range(0, span, step)], max(
                self.max, low + step * -(-span // step) - 1
            )
        # Shares of both ends: their distance may be no finite number.
        edges = [self.min * (1 - i / bins) + self.max * (i / bins) for i in range(bins)]
        # The range of neighbouring floats is too narrow to be divided.
        narrow = any(low >= high for low, high in zip(edges, [*edges[1:], self.max], strict=True))
        return ([self.min], self.max) if narrow else (edges, self.max)

    def _ascending(self) -> list[tuple[float, int]]:
        self._collapse()
        below = [(-_middle(key), count) for key, count in sorted(self._negative.items(), reverse=True)]
        above = [(_middle(key), count) for key, count in sorted(self._positive.items())]
        zero = [(0.0, self._zeros)] if self._zeros else []
        return [(self._presented(value), count) for value, count in below + zero + above]

    def _presented(self, value: float) -> float:
        # Half a percent and half a unit together stay within one percent from 100 on, and round
        # to the exact number below.
        whole = float(round(value)) if self.integral else value
        return min(max(whole, self.min), self.max)

    def _spill(self) -> None:
        raw, self._raw = self._raw or [], None
        self._file_all(raw)

    def _file_all(self, values: list[float]) -> None:
        log, ceil = math.log, math.ceil
        above = Counter(ceil(log(value) * _PER_LOG_GAMMA) for value in values if value > 0)
        below = Counter(ceil(log(-value) * _PER_LOG_GAMMA) for value in values if value < 0)
        self._zeros += len(values) - above.total() - below.total()
        _pour(above, self._positive)
        _pour(below, self._negative)

    def _collapse(self) -> None:
        # The floor follows from the largest magnitude alone and only rises, so folding in stages
        # gives what folding once at the end would give: merging stays associative.
        for side in (self._positive, self._negative):
            if len(side) < 2:
                continue
            floor = max(side) - BUCKET_SPAN + 1
            if min(side) < floor:
                low = [key for key in side if key < floor]
                side[floor] = side.get(floor, 0) + sum(side.pop(key) for key in low)


def _pour(source: Buckets, into: Buckets) -> None:
    for key, count in source.items():
        into[key] = into.get(key, 0) + count


def _middle(key: int) -> float:
    return math.exp(min(key * _LOG_GAMMA + _LOG_MIDDLE, _LOG_LARGEST))
