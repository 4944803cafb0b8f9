"""Rows of token ids in which nothing is left once the special tokens are taken away."""

from __future__ import annotations

from dldoctor.evidence.fields import Offenders
from dldoctor.finding import SampleId
from dldoctor.probes.look import ELEMENTS_KEPT, Look
from dldoctor.probes.sketches import OffenderSketch, TallySketch

_SHORT = 8
_CANDIDATES = 1000
_ALWAYS = 0.95
_LEAST = 16
"""Samples from which on "nearly all begin with it" says something."""


class SpecialTokens:
    """Learns with which ids rows begin and end, and keeps the short rows until that is known."""

    def __init__(self, declared: frozenset[int]) -> None:
        """Start; `declared` ids are special whatever the rows look like."""
        self.declared = declared
        self.first, self.last = TallySketch(), TallySketch()
        self._short: list[tuple[SampleId, frozenset[float]]] = []

    def add(self, sample: SampleId, seen: Look) -> None:
        """Look at one row of whole numbers."""
        if not seen.some:
            return
        self.first.add(seen.some[0])
        self.last.add(seen.last)
        ids = frozenset(seen.some)
        # A row of one repeated id (padding) is a candidate too, however long.
        few = len(ids) <= 3 if len(seen.some) < ELEMENTS_KEPT else len(ids) == 1
        if (len(seen.some) <= _SHORT or few) and len(self._short) < _CANDIDATES:
            self._short.append((sample, ids))

    def evidence(self) -> Offenders:
        """Return the rows that hold nothing but special tokens."""
        special = {float(one) for one in self.declared}
        if self.first.total >= _LEAST:
            for ends in (self.first, self.last):
                special |= {
                    float(str(value)) for value, count in ends.values() if count >= _ALWAYS * ends.total
                }
        found = OffenderSketch()
        for sample, ids in self._short:
            if special and ids <= special:
                found.add(sample)
        return found.evidence()
