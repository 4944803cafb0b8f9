"""Whether the orientation that a picture's file carries was obeyed: by size, else by what is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from dldoctor.probes.alignment.image_headers import Header
from dldoctor.probes.alignment.pictures import Size
from dldoctor.probes.look import as_tensor

SIDE = 16
ALIKE = 0.8
APART = 0.2
MIRRORED = (2, 4, 5, 7)
"""Orientations that mirror."""
ReadAs = Literal["stored", "shown", "unclear"]


def read_as(path: str, header: Header, picture: Any, size: Size) -> ReadAs:
    """Return how a picture of a sample was read."""
    stored, shown = (header.width, header.height), header.shown
    if stored != shown and size in (stored, shown):
        return "stored" if size == stored else "shown"
    found = _alike(path, header, picture)
    if found is None:
        return "unclear"
    as_stored, as_shown = found
    if max(found) < ALIKE or abs(as_stored - as_shown) < APART:
        return "unclear"
    return "stored" if as_stored > as_shown else "shown"


def _alike(path: str, header: Header, picture: Any) -> tuple[float, float] | None:
    """Return how like the picture is to the file as it is stored, and as it is to be shown."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        return None
    own = _plane(as_tensor(picture))
    if own is None:
        return None
    try:
        with Image.open(path) as file:
            file.draft("L", (4 * SIDE, 4 * SIDE))
            ways = [_plane(as_tensor(one.convert("L"))) for one in (file, ImageOps.exif_transpose(file))]
    except Exception:  # noqa: BLE001 - the user's file
        return None
    if any(one is None for one in ways):
        return None
    # A picture that is mirrored at random must not look like one that is to be mirrored.
    mirrored = header.orientation not in MIRRORED
    stored, shown = (max(_correlation(_small(own), one) for one in _views(way, mirrored)) for way in ways)
    return stored, shown


def _plane(table: Any) -> Any:
    if table is None or table.ndim < 2:
        return None
    grey = table.detach().float()
    while grey.ndim > 3:
        grey = grey[0]
    return grey.mean(0 if grey.shape[0] <= 4 else 2) if grey.ndim == 3 else grey


def _views(plane: Any, mirrored: bool) -> list[Any]:
    """Return a picture as a whole and its middle square, and both mirrored: what transforms usually make of it."""
    tall, wide = plane.shape
    side = min(tall, wide)
    top, left = (tall - side) // 2, (wide - side) // 2
    found = [_small(plane), _small(plane[top : top + side, left : left + side])]
    return [*found, *(one.reshape(SIDE, SIDE).flip(1).flatten() for one in found)] if mirrored else found


def _small(plane: Any) -> Any:
    import torch

    return torch.nn.functional.adaptive_avg_pool2d(plane[None, None], (SIDE, SIDE)).flatten()


def _correlation(one: Any, other: Any) -> float:
    a, b = one - one.mean(), other - other.mean()
    scale = float(a.norm() * b.norm())
    return float(a @ b) / scale if scale > 0 else 0.0


def stated_sizes(held: Mapping[str, Any]) -> dict[str, Size]:
    """Return the sizes of a picture that the fields of a sample state: ``height`` and ``width``, or both in one."""
    found: dict[str, Size] = {}
    numbers = {path.rpartition(".")[2].lower(): (path, leaf) for path, leaf in held.items()}
    for tall, wide in (("height", "width"), ("h", "w"), ("image_height", "image_width"), ("img_h", "img_w")):
        if tall in numbers and wide in numbers:
            height, width = _number(numbers[tall][1]), _number(numbers[wide][1])
            if height and width:
                found[numbers[tall][0]] = (width, height)
    return found


def _number(leaf: Any) -> int | None:
    try:
        value = int(leaf)
    except (TypeError, ValueError, RuntimeError):
        return None
    return value if value > 0 else None
