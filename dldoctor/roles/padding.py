"""How many tokens of each row are real, with or without a mask."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

Side = Literal["right", "left", "mixed", "none"]
ONE_ROW_RUN = 8
"""A run that one row alone has needs to be so long to look like padding."""


@dataclass(frozen=True)
class Padding:
    """The real lengths of the rows of one table of token ids."""

    lengths: tuple[int, ...]
    """Real tokens of each row."""
    side: Side
    source: Literal["mask", "pad id", "values", "none"]
    """How padding was told: by the mask, by the declared id, by a run of one id that ends (or
    begins) rows of different lengths; `none`: no sign of padding, every row counts as full."""
    pad_id: int | None = None
    """Id at the padded positions, if it is one and the same."""

    @property
    def real(self) -> int:
        """Real tokens of all rows."""
        return sum(self.lengths)


def padding_of(ids: Tensor, mask: Tensor | None = None, pad_id: int | None = None) -> Padding:
    """Return the real length of each row of `ids` ``[B, L]``.

    A mask decides if it has the form of the ids (any value but 0 or False is real), then the pad
    id, then the values.
    """
    table = ids.detach().cpu()
    table = table.reshape(1, -1) if table.ndim < 2 else table.flatten(0, -2)
    if mask is not None and mask.numel() == table.numel():
        return _by_mask(table, mask.detach().cpu().reshape(table.shape) != 0)
    if pad_id is not None:
        return _by_id(table, pad_id, "pad id")
    found = _guessed_id(table)
    if found is not None:
        return _by_id(table, found, "values")
    return Padding((table.shape[1],) * table.shape[0], "none", "none")


def _by_mask(table: Tensor, real: Tensor) -> Padding:
    partly = real.any(dim=1) & ~real.all(dim=1)
    sides = set[Side]()
    if bool((partly & ~real[:, 0]).any()):
        sides.add("left")
    if bool((partly & ~real[:, -1]).any()):
        sides.add("right")
    padded = table[~real]
    one_id = padded.numel() > 0 and bool((padded == padded[0]).all())
    lengths = tuple(int(count) for count in real.sum(dim=1).tolist())
    return Padding(lengths, _side(sides), "mask", int(padded[0]) if one_id else None)


def _by_id(table: Tensor, pad_id: int, source: Literal["pad id", "values"]) -> Padding:
    """Only runs at an end are padding: the same id between real tokens is real."""
    lengths, sides = [], set[Side]()
    for row in table:
        tail, head = _run(row.flip(0), pad_id), _run(row, pad_id)
        if tail == len(row):
            head = 0
        lengths.append(len(row) - tail - head)
        if tail:
            sides.add("right")
        if head:
            sides.add("left")
    return Padding(tuple(lengths), _side(sides), source, pad_id)


def _side(sides: set[Side]) -> Side:
    if not sides:
        return "none"
    return "mixed" if len(sides) > 1 else next(iter(sides))


def _run(row: Tensor, value: int) -> int:
    """Return how often the row begins with `value`."""
    different = (row != value).nonzero()
    return int(different[0]) if different.numel() else len(row)


def _guessed_id(table: Tensor) -> int | None:
    """Return the id of runs that fill rows of different real lengths, if it is found nowhere else.

    An id that ends each row once is an end-of-text token, and an id that is common inside rows is
    a word: neither is padding.
    """
    for rows in (table.flip(1), table):
        if rows.shape[1] < 2:
            return None
        # What fills a row stands there twice at least.
        firsts = Counter[int](rows[rows[:, 0] == rows[:, 1], 0].tolist())
        for value, _ in firsts.most_common(3):
            runs = [_run(row, value) for row in rows]
            longest, inside = max(runs), int((rows == value).sum()) - sum(runs)
            # One row among full ones may end in a word that is said twice.
            alone = sum(run > 0 for run in runs) == 1
            enough = longest >= ONE_ROW_RUN if alone else longest >= 2 and len(set(runs)) > 1
            if enough and inside <= 0.1 * sum(runs) + len(runs):
                return value
    return None
