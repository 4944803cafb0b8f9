"""The samples at both ends of a distribution."""

from __future__ import annotations

from bisect import insort
from typing import NamedTuple

from dldoctor.evidence.distribution import Extreme
from dldoctor.finding import SampleId
from dldoctor.probes.sketches.id_order import id_order


class _Entry(NamedTuple):
    rank: float
    order: tuple[int, int, int, str]
    id: SampleId


class Extremes:
    """The `keep` smallest and the `keep` largest values, with the samples that have them.

    Equal values are ordered by id, and the same sample with the same value counts once, so that
    merging in any order gives the same.
    """

    __slots__ = ("_ceiling", "_floor", "_high", "_low", "keep")

    def __init__(self, keep: int = 3) -> None:
        self.keep = keep
        self._low: list[_Entry] = []
        self._high: list[_Entry] = []  # ranked by the negated value: the largest comes first
        self._ceiling = float("inf")
        self._floor = float("-inf")

    def add(self, value: float, sample: SampleId) -> None:
        """Take one value of one sample."""
        if self._ceiling < value < self._floor:
            return
        order = id_order(sample)
        if value <= self._ceiling:
            self._insert(self._low, _Entry(value, order, sample))
            if len(self._low) == self.keep:
                self._ceiling = self._low[-1].rank
        if value >= self._floor:
            self._insert(self._high, _Entry(-value, order, sample))
            if len(self._high) == self.keep:
                self._floor = -self._high[-1].rank

    def merge(self, other: Extremes) -> None:
        """Take the entries of `other`, which is left as it is."""
        for entry in other._low:
            self.add(entry.rank, entry.id)
        for entry in other._high:
            self.add(-entry.rank, entry.id)

    @property
    def smallest(self) -> tuple[Extreme, ...]:
        """The smallest values, smallest first."""
        return tuple(Extreme(entry.id, entry.rank) for entry in self._low)

    @property
    def largest(self) -> tuple[Extreme, ...]:
        """The largest values, largest first."""
        return tuple(Extreme(entry.id, -entry.rank) for entry in self._high)

    def _insert(self, entries: list[_Entry], entry: _Entry) -> None:
        full = len(entries) == self.keep
        if (full and entry >= entries[-1]) or entry in entries:
            return
        if full:
            entries.pop()
        insort(entries, entry)
