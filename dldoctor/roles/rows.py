"""Rows of a leaf, and what runs along them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dldoctor.roles.leaf import Leaf, different

if TYPE_CHECKING:
    from torch import Tensor

ROWS = 64
"""Rows that are compared one by one."""
USUALLY_IGNORED = -100
"""What torch's losses ignore unless told otherwise."""
FOREIGN = 3
"""Labels that are masked with one value and padded with another hold a few."""


def rows_of(leaf: Leaf) -> list[Tensor]:
    """Return the kept rows of a table, a ragged list or a single sequence."""
    table = leaf.table
    if leaf.lengths is not None:
        ends, start = [], 0
        for length in leaf.lengths[:ROWS]:
            if start + length > table.shape[0]:
                break
            ends.append(table[start : start + length])
            start += length
        return ends
    if table.ndim < 2:
        return [table.reshape(-1)]
    return list(table.flatten(0, -2)[:ROWS])


def ramp_share(leaf: Leaf) -> float:
    """Return the share of steps along the rows that count up by one."""
    steps = [row[1:] - row[:-1] for row in rows_of(leaf) if row.numel() > 1]
    count = sum(step.numel() for step in steps)
    return sum(int((step == 1).sum()) for step in steps) / count if count else 0.0


def falls(leaf: Leaf) -> bool:
    """Whether a value is ever lower than the one before it."""
    return any(bool((row[1:] < row[:-1]).any()) for row in rows_of(leaf) if row.numel() > 1)


def ignored_value(leaf: Leaf) -> int | None:
    """Return the one negative value of a leaf, or -100 among at most `FOREIGN`."""
    negative = leaf.table[leaf.table < 0]
    kinds = different(negative)
    if 1 < kinds <= FOREIGN and bool((negative == USUALLY_IGNORED).any()):
        return USUALLY_IGNORED
    return int(negative[0]) if kinds == 1 else None


def one_step(row: Tensor) -> bool:
    """At most one change along the row."""
    flags = row.bool()
    return int((flags[1:] != flags[:-1]).sum()) <= 1
