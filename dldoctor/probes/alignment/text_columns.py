"""Lists of texts that a dataset holds, a row for each item, and whether its items are made of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.write_guard import no_writing

FEWEST = 4
BRIEF = 3
"""Characters below which a text is a code that may stand anywhere."""
PARTS = 16
PINNED = 41


class TextColumns:
    """The columns of one dataset, below its subsets."""

    def __init__(self, dataset: Any) -> None:
        """Find them; nothing is read."""
        self._dataset = dataset
        self._inner, self._rows = _innermost(dataset)
        self._columns = dict(_columns(self._inner))

    def texts(self, place: int) -> dict[str, list[str]]:
        """Return the texts of an item by column."""
        return {name: texts_in(column[self._row(place)]) for name, column in self._columns.items()}

    def named_files(self) -> Iterator[str]:
        """Yield the paths that the dataset remembers."""
        for value in list(attribute(self._inner, "__dict__", {}).values()):
            if isinstance(value, (str, os.PathLike)):
                yield os.path.abspath(value)

    def makes(self, name: str, place: int) -> bool:
        """Whether an item changes with the text of its row: it is read twice as it is, and once with another."""
        column, row = self._columns[name], self._row(place)
        kept = column[row]
        other = next((one for one in column if one != kept), None)
        if other is None:
            return False
        before, again = self._read(place), self._read(place)
        column[row] = other
        try:
            changed = self._read(place)
        finally:
            column[row] = kept
        return any(again.get(path) == one != changed.get(path) for path, one in before.items())

    def _row(self, place: int) -> int:
        return place if self._rows is None else self._rows[place]

    def _read(self, place: int) -> dict[str, str]:
        pin(PINNED)
        try:
            with no_writing():  # the dataset may keep what it made, and this is made up
                return digests(self._dataset[place])
        except Exception:  # noqa: BLE001 - the user's code
            return {}


def texts_in(row: Any) -> list[str]:
    """Return the texts of a row: itself, or what it holds."""
    if isinstance(row, str):
        return [row] if len(row) >= BRIEF else []
    parts = row.values() if isinstance(row, Mapping) else row if isinstance(row, (list, tuple)) else ()
    return [one for one in list(parts)[:PARTS] if isinstance(one, str) and len(one) >= BRIEF]


def _innermost(dataset: Any) -> tuple[Any, Sequence[int] | None]:
    """Return the dataset below the subsets, and the row of each item in it; null where that is its index."""
    rows: Sequence[int] | None = None
    while type(dataset).__name__ == "Subset" and has(dataset, "indices"):
        rows = dataset.indices if rows is None else [dataset.indices[row] for row in rows]
        dataset = attribute(dataset, "dataset")
    return dataset, rows


def _columns(dataset: Any) -> Iterator[tuple[str, list[Any]]]:
    try:
        count = len(dataset)
    except Exception:  # noqa: BLE001 - the user's code
        return
    for name, value in list(attribute(dataset, "__dict__", {}).items()):
        if type(value) is list and len(value) == count >= FEWEST and texts_in(value[0]):
            yield name, value
