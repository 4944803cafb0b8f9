"""Grids of patches as a sample has them, and the rows that the items of a batch came with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.roles.kinds import Kind, kind_of

Grid = Sequence[int]
MOST = 256
"""Items of a sample; a longer table is no list of images."""


def grid_in(leaf: Any) -> list[list[int]] | None:
    """Return the lines of a table of two or three small whole numbers each, or None for anything else."""
    kind = kind_of(type(leaf))
    if kind in (Kind.TENSOR, Kind.ARRAY):
        # A tensor says `torch.int64`, an array `int64`.
        whole = str(attribute(leaf, "dtype", "")).rpartition(".")[2].startswith(("int", "uint"))
        if not whole or leaf.ndim != 2 or leaf.shape[1] not in (2, 3) or len(leaf) > MOST:
            return None
        return [[int(one) for one in line] for line in leaf.tolist()]
    if kind is not Kind.SEQUENCE or not 0 < len(leaf) <= MOST:
        return None
    lines = [one for one in leaf if type(one) in (list, tuple) and len(one) in (2, 3)]
    alike = len(lines) == len(leaf) and all(type(number) is int for line in lines for number in line)
    return [list(line) for line in lines] if alike else None


def owners_of(grids: Sequence[Mapping[str, Sequence[Grid]]], items: Sequence[Grid]) -> list[int] | None:
    """Return the sample that each item came with, where the samples' grids end to end are those of the batch."""
    wanted = [tuple(one) for one in items]
    for path in dict.fromkeys(path for one in grids for path in one):
        # A sample without an image may lack the table.
        owned = [(row, _whole(line)) for row, one in enumerate(grids) for line in one.get(path, ())]
        if [line for _, line in owned] == wanted:
            return [row for row, _ in owned]
    return None


def _whole(line: Grid) -> tuple[int, ...]:
    """Height and width alone: one frame."""
    return (*(1,) * (3 - len(line)), *line)
