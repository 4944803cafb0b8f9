"""The picture of a sample, and its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.foreign import has
from dldoctor.intent import Inferred
from dldoctor.probes.arrays import is_array

CHANNELS = (1, 3, 4)
SMALLEST = 8
SURE = 0.7
Size = tuple[int, int]
"""Width and height."""


def size_of(leaf: Any) -> Size | None:
    """Return width and height of one picture; None where a leaf is none."""
    if isinstance(leaf, (list, tuple)):
        return size_of(leaf[0]) if len(leaf) == 1 else None
    if has(type(leaf), "getbands"):
        return int(leaf.size[0]), int(leaf.size[1])
    if not is_array(leaf):
        return None
    shape = tuple(int(n) for n in leaf.shape)
    if len(shape) == 4 and shape[0] == 1:
        shape = shape[1:]
    if len(shape) == 2:
        height, width = shape
    elif len(shape) == 3 and shape[0] in CHANNELS and min(shape[1:]) >= SMALLEST:
        height, width = shape[1:]
    elif len(shape) == 3 and shape[2] in CHANNELS:
        height, width = shape[:2]
    else:
        return None
    return (width, height) if min(width, height) >= SMALLEST else None


def paths_of(role: str, roles: Mapping[str, Inferred], held: Mapping[str, Any]) -> list[str]:
    """Return the fields of a sample that hold a role well enough."""
    return [
        path for path, one in roles.items() if one.role == role and one.confidence >= SURE and path in held
    ]


def picture_of(roles: Mapping[str, Inferred], held: Mapping[str, Any]) -> tuple[str, Size] | None:
    """Return the field and the size of the sample's one picture; None where it has none or several."""
    found = [(path, size) for path in paths_of("pixel_values", roles, held) if (size := size_of(held[path]))]
    return found[0] if len(found) == 1 else None
