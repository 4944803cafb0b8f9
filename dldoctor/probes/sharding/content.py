"""Whether one index names the same item on every rank: a dataset may hold only the files of its rank."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dldoctor.probes.sharding.keys import keys_of
from dldoctor.probes.sharding.ranks import Ended

INDICES = (0, 1, 2, 3, 10, 20, 40, 80)
SECONDS = 4.0
_QUIET = 1
LEAST = 2
"""Items that must be comparable."""


def read_content(dataset: Any, length: int, pulse: Callable[[], None]) -> dict[str, list[list[int]]]:
    """Return what names a few items, each read twice: by their own id, by quiet content, by all content."""
    deadline = time.monotonic() + SECONDS
    found: dict[str, list[list[int]]] = {}
    for index in INDICES:
        if index >= length or time.monotonic() > deadline:
            break
        found[str(index)] = [list(keys_of(dataset[index], None)[:3]) for _ in range(2)]
        pulse()
    return found


def is_numbered_by_rank(ran: list[Ended]) -> bool:
    """Tell whether equal indices of two ranks are other items, by what does not change when it is read again."""
    read = [one.result["content"] for one in ran if one.result.get("content")]
    if len(read) < 2 or any("split_size" in one.result for one in ran):
        return False
    first, second = read[:2]
    both = [(first[index], second[index]) for index in first.keys() & second.keys()]
    for which in range(3):
        pairs = [
            (one[0][which], other[0][which])
            for one, other in both
            if one[0][which] == one[1][which] and other[0][which] == other[1][which]
        ]
        known = [(a, b) for a, b in pairs if a and b]
        if len(known) < LEAST or len(known) < len(both):
            continue
        if 2 * sum(a != b for a, b in known) > len(known):
            return True
        if which == _QUIET:
            return False  # what differs beyond that may be augmentation
    return False
