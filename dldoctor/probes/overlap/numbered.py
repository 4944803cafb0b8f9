"""Items that have one number on both sides: in lists of their datasets, or as index of datasets made alike."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from dldoctor.foreign import attribute
from dldoctor.probes.digest import digest
from dldoctor.probes.index import plain_index
from dldoctor.probes.overlap.marks import Marks
from dldoctor.probes.overlap.own_ids import are_names, counts_up
from dldoctor.probes.overlap.places import Places, is_column, length_of

FEWEST = 8
"""Pairs that must be read and agree."""
BY_CHANCE = 1e-6
"""How likely it may be that all of them agree by chance."""


class Numbered(NamedTuple):
    """Candidates."""

    name: str
    """Attribute with the numbers; empty for the index itself."""
    pairs: list[tuple[Any, Any]]


def numbered(first: Places, second: Places) -> Numbered | None:
    """Return items with the same number; None where numbers only count what a side has."""
    if (
        len(first.leaves) != 1
        or len(second.leaves) != 1
        or type(first.leaves[0]) is not type(second.leaves[0])
    ):
        return None
    leaves = (first.leaves[0], second.leaves[0])
    if not _of_one_source(*leaves):
        return None
    for name in attribute(leaves[0], "__dict__", {}):
        values = [_numbers(leaf, name, side) for leaf, side in zip(leaves, (first, second), strict=True)]
        if values[0] is None or values[1] is None or all(counts_up(one, 1.0) for one in values if one):
            continue
        pairs = _pairs(first, second, values[0], values[1])
        if pairs:
            return Numbered(name, pairs)
    whole = length_of(leaves[0])
    if whole and whole == length_of(leaves[1]) and min(len(first.indices), len(second.indices)) < whole:
        pairs = _pairs(first, second, [place for _, place in first.at], [place for _, place in second.at])
        return Numbered("", pairs) if pairs else None
    return None


def _of_one_source(one: Any, other: Any) -> bool:
    """Whether no folder, file, name or table of two datasets of one class differs."""
    counts = (length_of(one), length_of(other))
    held = attribute(other, "__dict__", {})
    for name, value in attribute(one, "__dict__", {}).items():
        twin: Any = held.get(name)
        if isinstance(value, str | os.PathLike) and value != twin:
            return False
        if is_column(value) and is_column(twin):
            # Rows of the items themselves differ, where each side has its own; a table that both draw from does not.
            own_rows = counts[0] != counts[1] and (length_of(value), length_of(twin)) == counts
            if not own_rows and digest(value) != digest(twin):
                return False
    return True


def _numbers(leaf: Any, name: str, side: Places) -> list[int] | None:
    rows: Any = attribute(leaf, "__dict__", {}).get(name)
    if not is_column(rows) or not length_of(rows) or length_of(rows) != length_of(leaf):
        return None
    try:
        found = [plain_index(rows[place]) for _, place in side.at]
    except Exception:  # noqa: BLE001 - the user's list
        return None
    whole = all(type(one) is int for one in found) and not isinstance(rows[0], bool | float)
    return found if whole and len(set(found)) == len(found) > 1 else None


def _pairs(
    first: Places, second: Places, mine: Sequence[int], theirs: Sequence[int]
) -> list[tuple[Any, Any]]:
    owners = dict(zip(mine, first.indices, strict=True))
    return [(owners[one], index) for one, index in zip(theirs, second.indices, strict=True) if one in owners]


def agree(pairs: Sequence[tuple[Marks, Marks]]) -> bool:
    """Whether labels and other small fields of the pairs agree as those of strangers would not."""
    if len(pairs) < FEWEST or not all(_alike(one, other) for one, other in pairs):
        return False
    strangers = [_alike(pairs[number - 1][0], other) for number, (_, other) in enumerate(pairs)]
    chance = sum(strangers) / len(strangers)
    return chance ** len(pairs) < BY_CHANCE


def _alike(one: Marks, other: Marks) -> bool:
    shared = [path for path in one.own if path in other.own and not are_names(path)]
    return all(one.own[path] == other.own[path] for path in shared)
