"""Which fields of a sample are a picture and targets that have a value for each of its pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dldoctor.foreign import has
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.cards import BLOCKS
from dldoctor.probes.alignment.masks import planes
from dldoctor.probes.alignment.pictures import Size, paths_of, size_of
from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor

FEW_CLASSES = 64


class Pair(NamedTuple):
    """A picture and its targets."""

    path: str
    size: Size | None
    """None of a volume."""
    masks: list[str]
    grey: list[str]
    """Planes of many values: a depth, an opacity for each pixel, or something computed from the picture."""


def pair_of(roles: Mapping[str, Inferred], held: Mapping[str, Any]) -> Pair | None:
    """Return the picture and its targets; None where a sample has none, or several that may be it."""
    pictures = {path: size for path in paths_of("pixel_values", roles, held) if (size := size_of(held[path]))}
    coloured = [path for path in pictures if _channels(held[path]) != 1]
    if not pictures:
        return _volume(held)
    if len(pictures) > 1 and len(coloured) != 1:
        return None
    path = next(iter(pictures)) if len(pictures) == 1 else coloured[0]
    size = pictures[path]
    masks = paths_of("segmentation_mask", roles, held) or planes(held, size)
    grey = [one for one, leaf in held.items() if one != path and one not in masks and _is_grey(leaf, size)]
    return Pair(path, size, masks, grey if _channels(held[path]) > 1 else [])


def _is_grey(leaf: Any, size: Size) -> bool:
    if not is_array(leaf) or size_of(leaf) != size or _channels(leaf) != 1:
        return False
    table = as_tensor(leaf)
    return table is not None and (table.is_floating_point() or len(table.unique()) > FEW_CLASSES)


def _channels(leaf: Any) -> int:
    if has(type(leaf), "getbands"):
        return len(leaf.getbands())
    shape = [int(side) for side in leaf.shape] if is_array(leaf) else []
    if len(shape) < 3:
        return 1
    return shape[-3] if shape[-3] in (1, 3, 4) else shape[-1]


def _volume(held: Mapping[str, Any]) -> Pair | None:
    """Return a volume of real numbers beside one of few whole numbers, whose three sides are the same."""
    real, whole = list[str](), list[str]()
    for path, leaf in held.items():
        if not is_array(leaf) or len(leaf.shape) not in (3, 4) or min(int(one) for one in leaf.shape[-3:]) < BLOCKS:  # fmt: skip
            continue
        table = as_tensor(leaf)
        if table is None:
            continue
        if table.is_floating_point():
            real.append(path)
        elif len(table.unique()) <= FEW_CLASSES:
            whole.append(path)
    if len(real) != 1:
        return None
    sides = tuple(held[real[0]].shape[-3:])
    return Pair(real[0], None, [path for path in whole if tuple(held[path].shape[-3:]) == sides], [])
