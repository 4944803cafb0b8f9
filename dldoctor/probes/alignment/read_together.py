"""Reads batches as torch's fetcher does where a dataset has ``__getitems__``, and compares the items with single ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import ReadTogether
from dldoctor.foreign import attribute
from dldoctor.probes.digest import pin
from dldoctor.probes.index import plain_index
from dldoctor.probes.provenance.columns import Column
from dldoctor.probes.provenance.content import content, equal
from dldoctor.probes.provenance.tracing import traced
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

SECONDS = 6.0
Read = Callable[[Any, int], tuple[Any] | None]
SEEDS = (0, 1)
"""Added to the seed: a part that another seed changes is drawn at random, and tells no index."""


def reads_together(pipeline: Pipeline) -> bool:
    """Whether the loader asks the dataset for whole batches."""
    return bool(attribute(pipeline.dataset, "__getitems__", None))


def read_together(
    pipeline: Pipeline, session: Session, indices: Sequence[Any], seed: int
) -> list[Any] | None:
    """Return the items of a batch; null where they don't come as a list of as many items."""
    session.note("getitem", plain_index(indices[0]))
    pin(seed)
    try:
        found = pipeline.dataset.__getitems__(list(indices))  # type: ignore[union-attr]  # it has one
    except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
        return None
    return list(found) if isinstance(found, (list, tuple)) and len(found) == len(indices) else None


class TogetherSums:
    """Feed it batches that were read at once; it remembers which items are those of other indices."""

    def __init__(self, read: Read) -> None:
        """Take what reads a single item."""
        self._read = read
        self._until: float | None = None
        self._items = self._wrong = 0
        self._first: ReadTogether | None = None

    def add(self, indices: Sequence[Any], items: Sequence[Any]) -> None:
        """Compare the items of one batch with those that `__getitem__` returns."""
        self._until = self._until or time.monotonic() + SECONDS
        if time.monotonic() > self._until or len(indices) < 2:
            return
        single = [self._read(index, SEEDS[0]) for index in indices]
        if None in single:
            return
        alone = [dict(leaves(one[0])) for one in single if one is not None]
        given = [dict(leaves(one)) for one in items]
        wrong = {
            place: (path, source)
            for place, (path, source) in _foreign(given, alone)
            if self._is_fixed(indices[place], path, alone[place])
        }
        self._items += len(items)
        self._wrong += len(wrong)
        if wrong and self._first is None:
            place = min(wrong)
            path, source = wrong[place]
            self._first = ReadTogether(0, 0, path, _id(indices[place]), _id(indices[source]), place)

    def _is_fixed(self, index: Any, path: str, first: Mapping[str, Any]) -> bool:
        again = self._read(index, SEEDS[1])
        if again is None:
            return False
        one, other = content(first[path]), content(dict(leaves(again[0])).get(path))
        return one is not None and other is not None and equal(one, other)

    def result(self) -> ReadTogether | None:
        """Return the sums; null where nothing was read at once."""
        if not self._items:
            return None
        first = self._first or ReadTogether(0, 0)
        return ReadTogether(self._items, self._wrong, first.path, first.asked, first.got, first.place)


def _foreign(
    given: Sequence[Mapping[str, Any]], alone: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, tuple[str, int]]]:
    """Yield the place of each item with a part of another index, the part, and whose it is."""
    for path in reversed(list(given[0])):
        if not all(path in one for one in (*given, *alone)):
            continue
        rows = tuple(content(one[path]) for one in given)
        field = traced(Column(path, rows, tuple((content(one[path]),) for one in alone)))
        if not field.column.rich and field.known < len(rows):
            continue
        for place, sources in enumerate(field.rows):
            if sources and place not in sources:
                yield place, (path, min(sources))


def _id(index: Any) -> int | str:
    plain = plain_index(index)
    return plain if isinstance(plain, (int, str)) else str(plain)
