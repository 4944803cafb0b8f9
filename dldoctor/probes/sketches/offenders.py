"""How many samples have a property, and which come first."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable

from dldoctor.evidence.fields import Offenders
from dldoctor.finding import SAMPLES_KEPT, SampleId
from dldoctor.probes.sketches.id_order import id_order


class OffenderSketch:
    """An exact count and the lowest ids; merging in any order gives the same."""

    __slots__ = ("_ids", "count", "keep")

    def __init__(self, keep: int = SAMPLES_KEPT) -> None:
        self.keep = keep
        self.count = 0
        self._ids: list[SampleId] = []

    def add(self, sample: SampleId) -> None:
        """Count one sample; a repeat is counted again, its id is kept once."""
        self.count += 1
        self._note(sample)

    def add_many(self, count: int, samples: Iterable[SampleId]) -> None:
        """Count `count` samples of which only some are known by id."""
        self.count += count
        for sample in samples:
            self._note(sample)

    def merge(self, other: OffenderSketch) -> None:
        """Take the count and the ids of `other`, which is left as it is."""
        self.count += other.count
        for sample in other._ids:
            self._note(sample)

    def evidence(self) -> Offenders:
        """Return the count with the ids."""
        return Offenders(self.count, tuple(self._ids))

    def _note(self, sample: SampleId) -> None:
        full = len(self._ids) == self.keep
        if full and id_order(sample) >= id_order(self._ids[-1]):
            return
        if sample not in self._ids:
            insort(self._ids, sample, key=id_order)
            del self._ids[self.keep :]
