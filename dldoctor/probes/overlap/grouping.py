"""Items of one side, grouped by what they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.probes.overlap.marks import Marks
from dldoctor.probes.overlap.own_ids import are_names

COMMON = 8
COMMON_SHARE = 0.02
"""What comes more often on one side belongs to no item: a blank picture, a frequent answer."""


def forms_of(side: Sequence[Marks]) -> dict[str, set[str]]:
    """Return the types and shapes of each field that tells items apart."""
    found: dict[str, set[str]] = {}
    for one in side:
        for path, form in one.forms.items():
            found.setdefault(path, set()).add(form)
    return found


def keyed(side: Sequence[Marks], key: Callable[[Marks], Any]) -> dict[Any, list[Marks]]:
    """Return items by a key; those without one are left out."""
    found: dict[Any, list[Marks]] = {}
    for one in side:
        value = key(one)
        if value is not None:
            found.setdefault(value, []).append(one)
    return found


def is_common(owners: Sequence[Marks], side: Sequence[Marks]) -> bool:
    """Whether so many items of a side have it that it belongs to none of them."""
    return len(owners) > max(COMMON, COMMON_SHARE * len(side))


def word_paths(side: Sequence[Marks]) -> list[str]:
    """Return the fields of short texts that are no names of items."""
    paths = dict.fromkeys(path for one in side for path in one.own)
    return [
        path
        for path in paths
        if not are_names(path)
        and any(path in one.own and not one.own[path].lstrip("-").isdigit() for one in side)
    ]


def rest_paths(side: Sequence[Marks]) -> set[str]:
    """Return the fields of small arrays."""
    return {path for one in side for path in one.rest}


def own_files(side: Sequence[Marks]) -> list[tuple[Marks, frozenset[str]]]:
    """Return items with the files that are opened for each of them alone."""
    opened = Counter(file for one in side for file in set(one.files))
    found = [(one, frozenset(file for file in one.files if opened[file] == 1)) for one in side]
    return [(one, alone) for one, alone in found if alone and len(side) > 1]


def by_own_file(first: Sequence[Marks], second: Sequence[Marks]) -> list[tuple[Marks, Marks]]:
    """Return items that are read from the same files; one side may read more, a noise that it adds."""
    mine = own_files(first)
    owners = {file: number for number, (_, alone) in enumerate(mine) for file in alone}
    found = []
    for other, alone in own_files(second):
        for number in {owners[file] for file in alone if file in owners}:
            one, theirs = mine[number]
            if alone <= theirs or theirs <= alone:
                found.append((one, other))
                break
    return found


def by_file(side: Sequence[Marks]) -> dict[Any, list[Marks]]:
    """Return items by each file that is opened for them."""
    found: dict[Any, list[Marks]] = {}
    for one in side:
        for file in set(one.files):
            found.setdefault(file, []).append(one)
    return found
