"""Puts the tiles of one picture in place: the arrangement in which it goes on across their edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

SMOOTH = 2.0
"""How much more neighbours across an edge may differ than neighbours within a tile."""
CLEARLY = 0.7
"""The best arrangement differs at most by this share of the next best one."""
VARIED = 0.02
"""Share of the range by which pixels along edges must vary: edges of one colour fit anywhere."""
FLOOR = 0.004


class Placed(NamedTuple):
    """Tiles in place, and those that belong to no place."""

    picture: Any
    rows: int
    columns: int
    before: list[Any]
    """The whole picture made small, which some models take first."""
    after: list[Any]


def in_place(tiles: Sequence[Any]) -> Placed | None:
    """Return the picture that tiles ``[H, W, C]`` make; None where no arrangement is clearly one."""
    if len(tiles) < 2 or any(tuple(one.shape) != tuple(tiles[0].shape) for one in tiles[1:]):
        return None
    planes = [one.float() for one in tiles]
    span = float(max(one.max() for one in planes) - min(one.min() for one in planes))
    if not span > 0:
        return None
    count = len(tiles)
    # Tiles without the last one of a row fit as well, so all of them are tried first.
    for first, last in ((0, count), (1, count), (0, count - 1)):
        grid = _best([one / span for one in planes[first:last]])
        if grid is not None:
            joined = _joined(tiles[first:last], *grid)
            return Placed(joined, *grid, list(tiles[:first]), list(tiles[last:]))
    return None


def _best(planes: Sequence[Any]) -> tuple[int, int] | None:
    """Return rows and columns of the arrangement that is clearly the best; None where none is."""
    count = len(planes)
    grids = [(rows, count // rows) for rows in range(1, count + 1) if count > 1 and count % rows == 0]
    ranked = sorted((cost, grid) for grid in grids if (cost := _cost(planes, *grid)) is not None)
    if not ranked or ranked[0][0] > SMOOTH:
        return None
    return ranked[0][1] if len(ranked) == 1 or ranked[0][0] <= CLEARLY * ranked[1][0] else None


def _cost(planes: Sequence[Any], rows: int, columns: int) -> float | None:
    """Return how much edges differ beside how much neighbours within tiles do; None where edges tell nothing."""
    across, within, varied = list[float](), list[float](), list[float]()
    for at, plane in enumerate(planes):
        beside = planes[at + 1] if (at + 1) % columns else None
        below = planes[at + columns] if at + columns < rows * columns else None
        for other, own, inner, theirs in (
            (beside, plane[:, -1], plane[:, -2], None if beside is None else beside[:, 0]),
            (below, plane[-1], plane[-2], None if below is None else below[0]),
        ):
            if other is not None:
                across.append(float((own - theirs).abs().mean()))
                within.append(float((own - inner).abs().mean()))
                varied.append(float(own.std()))
    if not across or max(varied) < VARIED:
        return None
    return (sum(across) + FLOOR) / (sum(within) + FLOOR)


def _joined(tiles: Sequence[Any], rows: int, columns: int) -> Any:
    import torch

    return torch.cat(
        [torch.cat(list(tiles[row * columns : (row + 1) * columns]), dim=1) for row in range(rows)], dim=0
    )
