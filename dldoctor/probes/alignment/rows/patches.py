"""Pictures that lie in a batch as flattened patches, put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.intent import Inferred
from dldoctor.probes.alignment.pictures import paths_of
from dldoctor.probes.look import as_tensor

LAYOUTS = {3 * frames * side * side: (frames, side) for side in (14, 16, 28, 32) for frames in (1, 2)}
"""Numbers of a patch to its frames and its side; the first of a length that fits two layouts is the larger patch."""
MERGES = (2, 1)


def pictures_of_patches(
    leaf: Any, held: Mapping[str, Any], roles: Mapping[str, Inferred]
) -> list[Any] | None:
    """Return the pictures ``[C, H, W]`` of a table of patches; None where it is none, or its order is unclear.

    Patches lie in blocks of merged ones, row by row, as the grid of three numbers a picture says.
    """
    table = as_tensor(leaf)
    if table is None or table.ndim != 2 or int(table.shape[1]) not in LAYOUTS:
        return None
    grids = next((as_tensor(held[path]) for path in paths_of("image_grid", roles, held)), None)
    if grids is None or grids.ndim != 2 or grids.shape[1] != 3:
        return None
    if int(grids.long().prod(1).sum()) != len(table):
        return None
    found, start = [], 0
    for times, tall, wide in grids.long().tolist():
        part = table[start : start + times * tall * wide].detach()
        start += times * tall * wide
        found.append(_together(part, times, tall, wide))
    return found


def _together(part: Any, times: int, tall: int, wide: int) -> Any:
    frames, side = LAYOUTS[int(part.shape[1])]
    candidates = []
    for merge in MERGES:
        if tall % merge or wide % merge:
            continue
        shaped = part.reshape(times, tall // merge, wide // merge, merge, merge, 3, frames, side, side)
        # To time, channel, then rows and columns of pixels.
        picture = shaped[0, ..., 0, :, :].permute(4, 0, 2, 5, 1, 3, 6)
        candidates.append(picture.reshape(3, tall * side, wide * side))
    # In the right order neighbours of different patches are as alike as they can be.
    return min(candidates, key=lambda one: _seams(one, side))


def _seams(picture: Any, side: int) -> float:
    down = (picture[:, side::side] - picture[:, side - 1 : -1 : side]).abs()
    across = (picture[:, :, side::side] - picture[:, :, side - 1 : -1 : side]).abs()
    parts = [one.double().mean() for one in (down, across) if one.numel()]
    return float(sum(parts)) if parts else 0.0
