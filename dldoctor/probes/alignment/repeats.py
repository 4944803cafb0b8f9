"""Notices a small field in which every row has the value of the batch's first sample."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.evidence.alignment import Misplaced
from dldoctor.probes.alignment.given import Given
from dldoctor.probes.alignment.naming import named
from dldoctor.probes.provenance.tracing import Traced

BATCHES = 3
"""In so many batches the value must be the first sample's."""


class Repeats:
    """Feed it batches; a field is told after some of them.

    One value in all rows may be meant: the greatest length, say. So in one batch at least it must be
    neither the least nor the greatest of what the samples gave.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._seen: dict[str, list[tuple[bool, bool, Misplaced]]] = {}

    def add(self, number: int, given: Given, fields: Sequence[Traced], reference: Traced) -> None:
        """Note the fields of one batch that have one value in all rows."""
        for one in fields:
            if one.column.rich or not one.same_everywhere():
                continue
            if len(one.rows) != len(reference.rows):
                continue
            is_first, between = _compared(one)
            wrong = [row for row, sources in enumerate(reference.rows) if sources and 0 not in sources]
            example = Misplaced(
                batch=number,
                samples=given.ids,
                first=wrong[0] if wrong else 0,
                wrong=len(wrong),
                rows=len(one.rows),
                path=one.path,
                against=reference.path,
                sources={
                    one.path: (given.ids[0],) * len(one.rows),
                    reference.path: named(reference.rows, given.ids),
                },
            )
            self._seen.setdefault(one.path, []).append((is_first, between, example))

    def found(self) -> list[Misplaced]:
        """Return the batches of a field that repeats the first sample."""
        for seen in self._seen.values():
            if len(seen) >= BATCHES and all(first for first, _, _ in seen) and any(b for _, b, _ in seen):
                return [example for _, _, example in seen if example.wrong]
        return []


def _compared(one: Traced) -> tuple[bool, bool]:
    """Return whether the value is the first sample's, and whether others are below and above it."""
    import torch

    pieces = [piece[0] for piece in one.column.pieces if piece and piece[0] is not None]
    is_first = all(0 in sources for sources in one.rows)
    if any(part.numbers is None for part in pieces) or len({tuple(p.numbers.shape) for p in pieces}) != 1:
        return False, False
    table = torch.stack([part.numbers.double().reshape(-1) for part in pieces])
    own = table[0]
    between = bool(((table.amin(0) < own) & (own < table.amax(0))).any())
    return is_first, between
