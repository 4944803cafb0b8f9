"""The images and tiles in a tensor of pixels, or in a list of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dldoctor.roles.kinds import Kind, kind_of


class Picture(NamedTuple):
    """One image; or one tile, where nothing says which tiles make an image."""

    row: int | None
    tiles: int
    dummy: bool = False
    size: tuple[int, int] | None = None


def items_of_pixels(leaf: Any, masks: Sequence[Any], rows: int, *, sized: bool) -> list[Picture]:
    """Return the images in order; empty for a form that is not known.

    `masks` are the pixel masks of the batch; `sized`: sizes lie beside the pixels, one an image.
    """
    kind = kind_of(type(leaf))
    if kind is Kind.SEQUENCE:
        return list(_of_list(leaf, rows))
    if kind not in (Kind.TENSOR, Kind.ARRAY):
        return []
    import torch

    tensor = torch.as_tensor(leaf).detach().as_subclass(torch.Tensor)
    if tensor.ndim == 4:
        return [Picture(None, 1, plain) for plain in _plain(tensor)]
    if tensor.ndim == 5:
        return _of_tiles(tensor, masks, rows, sized=sized)
    if tensor.ndim == 6:
        return _of_rows(tensor)
    return []


def is_lists_of_images(leaf: Any) -> bool:
    """Whether a leaf is a list, an entry a row, of lists of tensors in the form of images."""
    if kind_of(type(leaf)) is not Kind.SEQUENCE or not leaf:
        return False
    if any(kind_of(type(one)) not in (Kind.SEQUENCE, Kind.NONE) for one in leaf):
        return False
    inside = [one for held in leaf for one in held or ()]
    return bool(inside) and all(
        kind_of(type(one)) in (Kind.TENSOR, Kind.ARRAY) and one.ndim in (3, 4) and one.shape[-3] in (1, 3, 4)
        for one in inside
    )


def _of_list(items: Sequence[Any], rows: int) -> Iterator[Picture]:
    import torch

    nested = all(kind_of(type(one)) in (Kind.SEQUENCE, Kind.NONE) for one in items) and len(items) == rows
    for row, held in enumerate(items):
        inside = (held or ()) if nested else (held,)
        for one in inside:
            if kind_of(type(one)) in (Kind.TENSOR, Kind.ARRAY) and one.ndim in (3, 4):
                alone = torch.as_tensor(one[None] if one.ndim == 3 else one)
                size = (int(one.shape[-2]), int(one.shape[-1])) if one.shape[-3] in (1, 3, 4) else None
                yield Picture(row if nested else None, len(alone), all(_plain(alone)), size)
            elif kind_of(type(one)) is Kind.IMAGE:
                yield Picture(row if nested else None, 1, size=(int(one.size[1]), int(one.size[0])))


def _of_tiles(tensor: Any, masks: Sequence[Any], rows: int, *, sized: bool) -> list[Picture]:
    """Tiles of one row each, if there are as many groups as rows and no sizes; else tiles of one image each."""
    by_row = tensor.shape[0] == rows and not sized
    mask = next((one for one in masks if tuple(one.shape[:2]) == tuple(tensor.shape[:2])), None)
    if mask is not None:
        real = mask.flatten(2).any(2) if mask.ndim > 2 else mask.bool()
    else:
        real = (tensor != 0).flatten(2).any(2)
    found = []
    for number, flags in enumerate(real.tolist()):
        if by_row:
            # Without a mask an empty slot may be padding, or a black image that has its placeholders.
            kept = [at for at, on in enumerate(flags) if on or mask is None]
            found += [Picture(number, 1, dummy=not flags[at]) for at in kept]
        else:
            found.append(Picture(None, max(1, sum(flags)), dummy=not any(flags)))
    return found


def _of_rows(tensor: Any) -> list[Picture]:
    """Rows of images of tiles; empty places are all zero, which no normalised image is."""
    real = (tensor != 0).flatten(3).any(3).sum(2)
    return [Picture(row, tiles) for row, images in enumerate(real.tolist()) for tiles in images if tiles]


def _plain(tensor: Any) -> list[bool]:
    """Return which images are of one colour: they stand in for none."""
    import torch

    if not tensor.numel():
        return [False] * tensor.shape[0]
    channels = 2 if tensor.shape[-1] in (1, 3, 4) and tensor.shape[1] not in (1, 3, 4) else 1
    first = tensor.select(-1, 0).select(-1, 0) if channels == 1 else tensor[:, 0, 0]
    whole = first[:, :, None, None] if channels == 1 else first[:, None, None]
    step = max(1, tensor.shape[2] // 8)
    quick = (
        (tensor[:, :, ::step] == whole).flatten(1).all(1) if channels == 1 else torch.ones(len(tensor)).bool()
    )
    found = []
    for number, maybe in enumerate(quick.tolist()):
        found.append(bool(maybe) and bool((tensor[number] == whole[number]).all()))
    return found
