"""How much of the token batches is padding, and what other batching would save."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from dldoctor.evidence.batches import PaddingEvidence
from dldoctor.finding import SampleId
from dldoctor.probes.collect.intervals import blocks_of, interval_of
from dldoctor.probes.sketches import DistributionSketch

_ROWS_KEPT = 50_000
_ROWS_PACKED = 2_000
PACKED_ROWS = 8
"""Rows to pack into are so many times the longest row wide, where no max_length is declared."""


class PaddingCollector:
    """Sums up real lengths of the rows of one token field."""

    def __init__(self, path: str, source: str, max_length: int | None) -> None:
        """Start; `source` says how padding is told from text, `max_length` was declared."""
        self.max_length = max_length
        self.path = path
        self.source = source
        self.lengths = DistributionSketch()
        self._batches: list[tuple[int, list[int]]] = []
        """``(width, real lengths)`` of each batch."""
        self._rows = 0

    def add(self, width: int, lengths: Sequence[int], samples: Sequence[SampleId]) -> None:
        """Count one batch of rows that are `width` positions wide."""
        self.lengths.add_all(lengths, samples if len(samples) == len(lengths) else ())
        if self._rows < _ROWS_KEPT:
            self._rows += len(lengths)
            self._batches.append((width, list(lengths)))

    def evidence(self) -> PaddingEvidence | None:
        """Return the shares so far; null before the first row."""
        lengths = self.lengths.evidence()
        positions = sum(width * len(rows) for width, rows in self._batches)
        if lengths is None or positions == 0:
            return None
        share = _share(self._batches)
        low = high = share
        if len(self._batches) >= 4:
            _, low, high = interval_of(
                [_share(self._batches[part]) for part in blocks_of(len(self._batches))]
            )
        return PaddingEvidence(
            path=self.path,
            source=self.source,
            share=share,
            share_grouped=min(share, self._grouped()),
            share_packed=min(share, self._packed()),
            packed_width=self._packed_width(round(lengths.max)),
            rows=self._rows,
            lengths=lengths,
            low=max(0.0, min(low, share)),
            high=min(1.0, max(high, share)),
        )

    def _packed_width(self, longest: int) -> int:
        return max(longest, self.max_length if self.max_length is not None else PACKED_ROWS * longest)

    def _grouped(self) -> float:
        """The share if rows of like length shared a batch, with the batch sizes as they were."""
        ordered = sorted(length for _, rows in self._batches for length in rows)
        batches, start = [], 0
        for _, rows in self._batches:
            part = ordered[start : start + len(rows)]
            start += len(rows)
            if part:
                batches.append((max(1, part[-1]), part))
        return _share(batches)

    def _packed(self) -> float:
        """The share if rows were packed, longest first."""
        lengths = [length for _, rows in self._batches for length in rows if length > 0][:_ROWS_PACKED]
        if not lengths:
            return 0.0
        width = self._packed_width(max(lengths))
        room: list[int] = []  # ascending: the row with the least room that still fits is taken
        for length in sorted(lengths, reverse=True):
            slot = bisect_left(room, length)
            free = room.pop(slot) if slot < len(room) else width
            insort(room, free - length)
        return sum(room) / (width * len(room))


def _share(batches: list[tuple[int, list[int]]]) -> float:
    positions = sum(width * len(rows) for width, rows in batches)
    return 1 - sum(sum(rows) for _, rows in batches) / positions if positions else 0.0
