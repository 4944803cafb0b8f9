"""Finds for each row of a field the samples whose content it has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dldoctor.probes.provenance.blend import is_blend
from dldoctor.probes.provenance.columns import Column
from dldoctor.probes.provenance.content import Content, equal
from dldoctor.probes.provenance.copies import altered, copied

Sources = frozenset[int]
"""Positions of the samples whose content a row has; empty where none fits."""
NOBODY: Sources = frozenset()
BLENDS_TRIED = 4


@dataclass(frozen=True)
class Traced:
    """A field, with the samples behind each of its rows."""

    column: Column
    rows: tuple[Sources, ...]
    how: Counter[str]
    mixed: int = 0
    """Rows, of those that were tried, that are a blend of several samples."""

    @property
    def path(self) -> str:
        """Path of the field in the batch."""
        return self.column.path

    @property
    def known(self) -> int:
        """Rows whose samples are known."""
        return sum(bool(one) for one in self.rows)

    def same_everywhere(self) -> bool:
        """Whether all rows have one value although the samples gave several."""
        rows, first = self.column.rows, self.column.rows[0] if self.column.rows else None
        given = [one for piece in self.column.pieces for one in piece or () if one is not None]
        return (
            len(rows) > 1
            and first is not None
            and all(one is not None and equal(one, first) for one in rows)
            and any(not equal(one, given[0]) for one in given[1:])
        )

    def nested(self) -> bool:
        """Whether what a short sample gave is the beginning of what a long one gave: it counts, no more."""
        given = [one for piece in self.column.pieces for one in piece or () if one is not None]
        longest = max(given, key=lambda one: one.size)
        return any(one.size < longest.size for one in given) and all(copied(one, longest) for one in given)


def traced(column: Column) -> Traced:
    """Return the field with its sources."""
    how: Counter[str] = Counter()
    found: list[Sources] = []
    for row in column.rows:
        sources, kind = _sources(row, column)
        found.append(sources)
        if kind:
            how[kind] += 1
    mixed = 0
    if column.rich:
        unknown = [row for row, sources in zip(column.rows, found, strict=True) if row and not sources]
        pieces = [one for piece in column.pieces for one in piece or () if one is not None]
        mixed = sum(is_blend(row, pieces) for row in unknown[:BLENDS_TRIED])
    return Traced(column, tuple(found), how, mixed)


def _sources(row: Content | None, column: Column) -> tuple[Sources, str]:
    if row is None or row.plain or not row.size:
        return NOBODY, ""
    for compare in (copied, altered):
        found: dict[str, set[int]] = {}
        for sample, piece in enumerate(column.pieces):
            for one in piece or ():
                if one is not None and (kind := compare(row, one)):
                    found.setdefault(kind, set()).add(sample)
        undecided = found.pop("anything", set())
        if "equal" in found:
            # What another sample gave may be what this one gave and its padding.
            return frozenset(found["equal"] | found.get("padded", set()) | undecided), "equal"
        if found:
            # A sample that gave flags which are all set may have become this row as well.
            return frozenset(undecided.union(*found.values())), next(iter(found))
    return NOBODY, ""
