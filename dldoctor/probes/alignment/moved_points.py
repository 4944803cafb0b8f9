"""Whether boxes or keypoints of two readings of one item follow what was done to its picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from dldoctor.probes.alignment.pictures import Size
from dldoctor.probes.alignment.placement import Placement
from dldoctor.probes.look import as_tensor
from dldoctor.roles.box_tables import box_columns

MOVED = 0.08
"""Share of the side by which the picture must put a point elsewhere for it to tell anything."""
ALIKE = 0.03
STAYED, ELSEWHERE = 0.06, 0.12
"""Shares of the side: where points stayed as they were, and where they moved otherwise."""
EDGE = 0.01
"""Marks nearer to the edge may be cut or dropped."""
UNMOVED = -1.0
NORMAL = 1.5
THOUSAND = 1000.0

Told = Literal["follow", "stay", "elsewhere"]


@dataclass(frozen=True)
class Reading:
    """One reading of an item."""

    placement: Placement
    size: Size
    table: Any
    """Of the boxes or the keypoints, as they were given."""


class Marks(NamedTuple):
    """Points, or boxes with two of their corners, in shares of the sides of the picture."""

    middle: Any
    low: Any
    high: Any


def compared(one: Reading, other: Reading, kind: str, known: str | None) -> Told | None:
    """Return what the points of two readings do; None where they cannot tell.

    Where neither the format nor the unit is known, any under which the points follow is taken.
    """
    same = tuple(one.table.shape) == tuple(other.table.shape) and bool((one.table == other.table).all())
    far: list[float] = []
    for first, second in zip(marks_of(one, kind, known), marks_of(other, kind, known), strict=False):
        apart = _apart(first, second, one.placement, other.placement)
        if apart is not None:
            far.append(apart)
    if not far or min(far) == UNMOVED:
        return None
    if min(far) <= ALIKE:
        return "follow"
    if same:
        return "stay" if min(far) >= STAYED else None
    return "elsewhere" if min(far) >= ELSEWHERE else None


def _apart(first: Marks, second: Marks, one: Placement, other: Placement) -> float | None:
    """Return how far the points lie from where the picture put them; None where none is whole in both.

    Where the picture hardly moved them, they can lie nowhere else.
    """
    expected = other.forth(one.back(first.middle))
    whole = _inside(first) & _inside(Marks(expected, *(other.forth(one.back(end)) for end in first[1:])))
    if not bool(whole.any()) or not len(second.middle):
        return None
    place, expected = first.middle[whole], expected[whole]
    if float((expected - place).norm(dim=1).median()) < MOVED:
        return UNMOVED
    nearest = (expected[:, None] - second.middle[None]).norm(dim=2).amin(1)
    return float(nearest.median())


def _inside(marks: Marks) -> Any:
    """Return which marks lie within the picture whole, so that no cut changed or dropped them."""
    import torch

    ends = torch.stack(list(marks))
    return ((ends > EDGE) & (ends < 1 - EDGE)).all(2).all(0)


def marks_of(reading: Reading, kind: str, known: str | None) -> Iterator[Marks]:
    """Yield the marks in shares of the sides, in each format and unit that the table may be in."""
    import torch

    table = reading.table
    if not len(table):
        return
    largest, least = float(table.abs().max()), float(table.min())
    size = torch.tensor(reading.size, dtype=torch.float64)
    for marks in _boxes(table, known) if kind == "boxes" else _points(table):
        yield marks if largest <= NORMAL else Marks(*(one / size for one in marks))
        yield Marks(*((one + 1) / 2 if largest <= NORMAL and least < 0 else one / THOUSAND for one in marks))


def _points(table: Any) -> Iterator[Marks]:
    # Row and column is as usual as x and y.
    yield from (Marks(one, one, one) for one in (table, table.flip(1)))


def _boxes(table: Any, known: str | None) -> Iterator[Marks]:
    first, second = table[:, :2], table[:, 2:]
    for name in (known,) if known else ("xyxy", "xywh", "cxcywh"):
        if name == "xyxy":
            yield Marks((first + second) / 2, first, second)
        elif name == "xywh":
            yield Marks(first + second / 2, first, first + second)
        else:
            yield Marks(first, first - second / 2, first + second / 2)


def table_of(leaf: Any, kind: str) -> Any:
    """Return boxes as ``[n, 4]`` without filler, keypoints as ``[n, 2]`` without hidden ones; None where there is none."""
    table = as_tensor(leaf)
    if table is None and isinstance(leaf, (list, tuple)) and leaf:
        import torch

        try:
            table = torch.tensor(leaf)
        except (TypeError, ValueError, RuntimeError):
            return None
    if table is None or table.ndim < 2 or not table.numel():
        return None
    table = table.detach().double().reshape(-1, table.shape[-1])
    table = table[table.isfinite().all(1)]
    if kind == "boxes":
        if (table := box_columns(table)) is None:
            return None
        return table[~((table == table[:, :1]).all(1) & (table[:, 0] <= 0))]
    if table.shape[1] == 3:
        table = table[table[:, 2] > 0][:, :2]
    elif table.shape[1] != 2:
        return None
    return table[~((table == 0).all(1) | (table == -1).all(1))]
