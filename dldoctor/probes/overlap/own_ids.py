"""Whether the own ids of items mean the same on both sides."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from dldoctor.probes.collect.own_id import NAMES
from dldoctor.probes.overlap.marks import Marks

FEWEST = 8
DIFFERENT = 0.98
DENSE = 0.5
"""Share of the numbers between the least and the greatest that are taken, from which on they are a count."""
START = 10
"""Mean distances from zero within which the least number of a part that was read lies, if they begin there."""
_LAST_NUMBER = re.compile(r"\d+(?=\D*$)")


def own_id_of(first: Sequence[Marks], second: Sequence[Marks], whole: tuple[float, float]) -> str | None:
    """Return the field of ids that were given before the data were split; None where there is none.

    Ids that count the items of a split (`0`, `1`, `2`; `img_0001`) come again in each split. Those of which a
    part is missing on one side were given to all items together.
    """
    if min(len(first), len(second)) < FEWEST:
        return None
    for name in NAMES:
        for path in first[0].own:
            if path.rpartition(".")[2].lower() != name:
                continue
            values = [[one.own[path] for one in side if path in one.own] for side in (first, second)]
            if all(
                len(set(one)) >= DIFFERENT * len(side)
                for one, side in zip(values, (first, second), strict=True)
            ):
                counted = [_count_up(one, share) for one, share in zip(values, whole, strict=True)]
                return None if all(counted) else path
    return None


def are_names(path: str) -> bool:
    """Whether a field names its item, by its own name."""
    return path.rpartition(".")[2].lower() in NAMES


def _count_up(values: Sequence[str], share: float) -> bool:
    """Whether ids are the numbers of the items of one split."""
    if all(os.path.isabs(one) for one in values):
        return False
    found = [_LAST_NUMBER.search(one) for one in values]
    numbers = [int(one.group()) for one in found if one is not None]
    return len(numbers) == len(values) and counts_up(numbers, share)


def counts_up(numbers: Sequence[int], share: float) -> bool:
    """Whether numbers begin at 0 or 1 and leave out few; `share` is the part of them that was read."""
    span = max(numbers) - min(numbers) + 1
    start = 1 if share >= 1 else START * span / len(numbers)
    return min(numbers) <= start and len(set(numbers)) / max(share, 1e-9) >= DENSE * span
