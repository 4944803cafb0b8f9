"""How often each of a bounded number of values was seen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from dldoctor.evidence.distribution import Tally
from dldoctor.finding import SampleId
from dldoctor.probes.sketches.id_order import id_order

OTHERS = "(others)"


class TallySketch:
    """The first `bound` different values are counted exactly, later ones together as `others`.

    Below the bound, merging in any order gives the same counts. Beyond it a merge keeps the
    commonest values, and a count may be too low by at most the number of `others`. (First come is
    chosen over Misra-Gries because counts in a report should be counts, not bounds.) Values should
    be short: they are kept as they are.
    """

    __slots__ = ("_counts", "_examples", "bound", "keep", "others", "total")

    def __init__(self, bound: int = 1000, keep: int = 5) -> None:
        self.bound = bound
        self.keep = keep
        """How many sample ids each value keeps: the lowest ones."""
        self.total = 0
        self.others = 0
        self._counts: dict[Hashable, int] = {}
        self._examples: dict[Hashable, list[SampleId]] = {}

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def distinct(self) -> int | None:
        """How many different values were seen; null once there were more than `bound`."""
        return None if self.others else len(self._counts)

    def add(self, value: Hashable, sample: SampleId | None = None, weight: int = 1) -> None:
        """Count `value`, `weight` times."""
        self.total += weight
        count = self._counts.get(value)
        if count is None:
            if len(self._counts) >= self.bound:
                self.others += weight
                return
            count = 0
        self._counts[value] = count + weight
        if sample is not None:
            self._note(value, sample)

    def add_many(self, value: Hashable, count: int, samples: Iterable[SampleId]) -> None:
        """Count `value` for `count` samples of which only some are known by id."""
        self.add(value, None, count)
        if value in self._counts:
            for sample in samples:
                self._note(value, sample)

    def count_of(self, value: Hashable) -> int:
        """Return how often `value` was counted by itself."""
        return self._counts.get(value, 0)

    def examples_of(self, value: Hashable) -> tuple[SampleId, ...]:
        """Return the lowest ids of samples with `value`."""
        return tuple(self._examples.get(value, ()))

    def values(self) -> list[tuple[Hashable, int]]:
        """Return values and counts, the commonest first, equal counts in order of their text."""
        return sorted(self._counts.items(), key=lambda pair: (-pair[1], str(pair[0])))

    def merge(self, other: TallySketch) -> None:
        """Take the counts of `other`, which is left as it is."""
        self.total += other.total
        self.others += other.others
        for value, count in other._counts.items():
            self._counts[value] = self._counts.get(value, 0) + count
            for sample in other._examples.get(value, ()):
                self._note(value, sample)
        for value, count in self.values()[self.bound :]:
            self.others += count
            del self._counts[value]
            self._examples.pop(value, None)

    def evidence(self, limit: int = 50) -> tuple[Tally, ...]:
        """Return the commonest values, the rest as ``(others)``."""
        listed = self.values()
        shown = [Tally(str(value), count, self.examples_of(value)) for value, count in listed[:limit]]
        rest = self.others + sum(count for _, count in listed[limit:])
        return tuple([*shown, Tally(OTHERS, rest)] if rest else shown)

    def _note(self, value: Hashable, sample: SampleId) -> None:
        kept = self._examples.setdefault(value, [])
        if len(kept) == self.keep:
            last = kept[-1]
            if type(sample) is int and type(last) is int:  # by far the commonest, and twice as fast
                if sample >= last:
                    return
            elif id_order(sample) >= id_order(last):
                return
        if sample not in kept:
            kept.append(sample)
            kept.sort(key=id_order)
            del kept[self.keep :]
