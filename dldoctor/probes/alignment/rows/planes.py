"""The pictures that one row of a field holds, as ``[H, W, C]`` each, and how they are made small."""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor

CHANNELS = (1, 3, 4)
SMALLEST = 4
PICTURES = 12
"""Pictures of one row that are shown: tiles, or a row of many images."""
TILES = 64
"""Tiles of one picture that are put in place."""
FRAMES = 6
Planes = list[Any]


def pictures_in(leaf: Any, most: int = PICTURES) -> Planes:
    """Return the pictures of one row: one, or several tiles or images; empty where a leaf holds none."""
    if isinstance(leaf, (list, tuple)) and not (leaf and isinstance(leaf[0], (int, float))):
        return [plane for item in leaf[:most] for plane in pictures_in(item, most)][:most]
    if not (is_array(leaf) or has(type(leaf), "getbands")):
        return []
    table = _plain(leaf)
    if table is None or not table.numel():
        return []
    if table.ndim > 3:
        flat = table.reshape(-1, *table.shape[-3:])
        return [plane for one in flat[:most] if (plane := _one(one)) is not None]
    found = _one(table)
    return [] if found is None else [found]


def _plain(leaf: Any) -> Any:
    if has(type(leaf), "getbands"):
        try:
            bands = leaf.getbands()
            leaf = leaf if bands in (("L",), ("R", "G", "B"), ("R", "G", "B", "A")) else leaf.convert("RGB")
        except Exception:  # noqa: BLE001 - a picture that cannot be decoded
            return None
    table = as_tensor(leaf)
    return None if table is None else table.detach()


def _one(table: Any) -> Any:
    shape = [int(n) for n in table.shape]
    if len(shape) == 2 and min(shape) >= SMALLEST:
        return table[:, :, None]
    if len(shape) != 3:
        return None
    if shape[0] in CHANNELS and min(shape[1:]) >= SMALLEST:
        return table.permute(1, 2, 0)
    return table if shape[2] in CHANNELS and min(shape[:2]) >= SMALLEST else None


def frames_in(leaf: Any) -> tuple[Planes, list[int], int]:
    """Return some frames of a film, their numbers, and how many it has."""
    if isinstance(leaf, (list, tuple)):
        total = len(leaf)
        numbers = _spread(total)
        found = [(number, planes[0]) for number in numbers if (planes := pictures_in(leaf[number]))]
        return [plane for _, plane in found], [number for number, _ in found], total
    table = _plain(leaf)
    if table is None or table.ndim != 4 or not table.numel():
        return [], [], 0
    shape = [int(n) for n in table.shape]
    # [C, T, H, W] is as common as [T, C, H, W] and [T, H, W, C].
    if shape[0] in CHANNELS and shape[1] not in CHANNELS and shape[3] not in CHANNELS:
        table = table.transpose(0, 1)
    numbers = _spread(len(table))
    found = [(number, plane) for number in numbers if (plane := _one(table[number])) is not None]
    return [plane for _, plane in found], [number for number, _ in found], len(table)


def _spread(total: int) -> list[int]:
    if total <= FRAMES:
        return list(range(total))
    return [round(at * (total - 1) / (FRAMES - 1)) for at in range(FRAMES)]


def size_of(plane: Any) -> tuple[int, int]:
    """Return width and height."""
    return int(plane.shape[1]), int(plane.shape[0])


def smaller(size: tuple[int, int], side: int) -> tuple[int, int]:
    """Return the size whose longer side is at most `side`, in the same proportions."""
    share = min(1.0, side / max(size))
    return max(1, round(size[0] * share)), max(1, round(size[1] * share))


def coarse(plane: Any, side: int) -> Any:
    """Return every so many pixels of a large picture, some four for each that is shown."""
    step = max(1, max(size_of(plane)) // (4 * side))
    return plane[::step, ::step]


def thumbnail(shares: Any, side: int, *, bgr: bool = False) -> Any:
    """Return bytes ``[H, W, C]`` of floats of 0 to 1, at most `side` on the longer side."""
    import torch
    from torch.nn import functional

    if bgr and shares.shape[-1] >= 3:
        shares = torch.cat([shares[..., :3].flip(-1), shares[..., 3:]], dim=-1)
    width, height = smaller(size_of(shares), side)
    if (width, height) != size_of(shares):
        batched = shares.permute(2, 0, 1)[None].float()
        shares = functional.interpolate(batched, (height, width), mode="bilinear", antialias=True)[0]
        shares = shares.permute(1, 2, 0)
    return (shares * 255).round().clamp(0, 255).to(torch.uint8)
