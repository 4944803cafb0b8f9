"""Which of many items were met once, and which more often: two bits an item."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

LARGEST = 10**9
"""Items up to which this stays exact: a quarter of a gigabyte for each rank and epoch."""


class Seen:
    """Counts of items 0 to ``size - 1``, saturated at two."""

    def __init__(self, size: int, once: bytes = b"", more: bytes = b"") -> None:
        """Start with nothing met, or with what another process counted."""
        self.size = size
        self.once = bytearray(once or bytes(-(-size // 8)))
        """Bit set: met at least once."""
        self.more = bytearray(more or bytes(-(-size // 8)))
        """Bit set: met at least twice."""

    def add(self, indices: array[int]) -> int:
        """Count some indices; return how many lie outside."""
        numpy = _numpy()
        if numpy is None or len(indices) < 64:
            return self._add_one_by_one(indices)
        found, counts = numpy.unique(numpy.frombuffer(indices, dtype=numpy.int64), return_counts=True)
        inside = (found >= 0) & (found < self.size)
        outside = int(counts[~inside].sum())
        found, counts = found[inside], counts[inside]
        once = numpy.frombuffer(self.once, dtype=numpy.uint8)
        again = (once[found >> 3] >> (found & 7).astype(numpy.uint8)) & 1
        _set(numpy, numpy.frombuffer(self.more, dtype=numpy.uint8), found[(again == 1) | (counts > 1)])
        _set(numpy, once, found)
        return outside

    def _add_one_by_one(self, indices: Iterable[int]) -> int:
        outside = 0
        for index in indices:
            if not 0 <= index < self.size:
                outside += 1
                continue
            place, bit = index >> 3, 1 << (index & 7)
            if self.once[place] & bit:
                self.more[place] |= bit
            else:
                self.once[place] |= bit
        return outside

    def merge(self, other: Seen) -> None:
        """Add the counts of another part of the same items."""
        mine, theirs = _number(self.once), _number(other.once)
        more = _number(self.more) | _number(other.more) | (mine & theirs)
        self.once = bytearray((mine | theirs).to_bytes(len(self.once), "little"))
        self.more = bytearray(more.to_bytes(len(self.more), "little"))

    @property
    def distinct(self) -> int:
        """Items met."""
        return _number(self.once).bit_count()

    @property
    def repeated(self) -> int:
        """Items met more than once."""
        return _number(self.more).bit_count()

    def shared(self, other: Seen) -> int:
        """Items that both met."""
        return (_number(self.once) & _number(other.once)).bit_count()

    def lacking(self, other: Seen) -> int:
        """Items that `other` met and this did not."""
        return (_number(other.once) & ~_number(self.once)).bit_count()

    def first_missing(self, limit: int, wanted: Seen | None = None) -> list[int]:
        """Return the first items that were not met (of those that `wanted` met)."""
        found: list[int] = []
        for place, byte in enumerate(self.once):
            asked = 0xFF if wanted is None else wanted.once[place]
            free = ~byte & asked
            if free and len(found) < limit:
                found += [8 * place + bit for bit in range(8) if free >> bit & 1]
            if len(found) >= limit:
                break
        return [index for index in found if index < self.size][:limit]

    def first_repeated(self, limit: int) -> list[int]:
        """Return the first items that were met more than once."""
        found: list[int] = []
        for place, byte in enumerate(self.more):
            if byte:
                found += [8 * place + bit for bit in range(8) if byte >> bit & 1]
            if len(found) >= limit:
                break
        return found[:limit]

    def stretches(self, parts: int) -> tuple[float, ...]:
        """Return the share of items met in each of `parts` equal stretches."""
        parts = min(parts, self.size)
        edges = [self.size * i // parts for i in range(parts + 1)] if parts else []
        return tuple(round(_count(self.once, low, high) / (high - low), 4) for low, high in pairwise(edges))


def _set(numpy: Any, bits: Any, indices: Any) -> None:
    """Set the bits of sorted indices, byte by byte."""
    if not len(indices):
        return
    places = indices >> 3
    starts = numpy.flatnonzero(numpy.concatenate(([True], places[1:] != places[:-1])))
    masks = numpy.left_shift(1, indices & 7).astype(numpy.uint8)
    bits[places[starts]] |= numpy.bitwise_or.reduceat(masks, starts)


def _count(bits: bytearray, low: int, high: int) -> int:
    part = _number(bits[low >> 3 : -(-high // 8)]) >> (low & 7)
    return (part & ((1 << (high - low)) - 1)).bit_count()


def _number(bits: bytes | bytearray) -> int:
    return int.from_bytes(bits, "little")


def _numpy() -> Any:
    try:
        import numpy as np
    except ImportError:
        return None
    return np
