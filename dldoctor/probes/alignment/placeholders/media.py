"""The images, clips and sounds of one batch, and what says how large each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.evidence.placeholders import Media
from dldoctor.foreign import attribute, has
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.placeholders.pixels import is_lists_of_images, items_of_pixels
from dldoctor.probes.labels.tables import table_of
from dldoctor.roles.names import name_of

SURE = 0.7


@dataclass(frozen=True)
class Item:
    """One image, clip or sound; or one tile, where nothing says which tiles make an image."""

    row: int | None = None
    """The row of the batch that it belongs to, where the shape says so."""
    tiles: int = 1
    grid: tuple[int, ...] = ()
    """Patches by frames, height and width."""
    size: tuple[int, int] | None = None
    """Height and width in pixels."""
    length: int | None = None
    """Frames of a sound."""
    dummy: bool = False


@dataclass(frozen=True)
class MediaField:
    """All items of one kind in one batch."""

    media: Media
    path: str
    items: tuple[Item, ...]
    grid: str = ""
    """Path of the grids."""
    sizes: str = ""
    """Path of the sizes."""
    lengths: str = ""
    """Path of the lengths, or of the mask over frames."""
    held: int = 0
    """First axis of the pixels: images, tiles or patches."""
    patches: bool = False
    """The pixels are rows of patches."""
    why: str = ""
    """Why the features of an item cannot be derived."""


def media_of(leaves: Mapping[str, Any], roles: Mapping[str, Inferred], rows: int) -> list[MediaField]:
    """Return the media of a batch whose token table has so many rows."""
    kinds: tuple[Media, ...] = ("image", "video", "audio")
    return [found for media in kinds if (found := _field(media, leaves, roles, rows)) is not None]


def paths_of(
    leaves: Mapping[str, Any], roles: Mapping[str, Inferred], role: str, media: Media | None = None
) -> list[str]:
    """Return the paths in the batch that hold a role, of one kind of media alone if asked."""
    found = [
        path
        for path, one in roles.items()
        if one.role == role and one.confidence >= SURE and leaves.get(path) is not None
    ]
    return found if media is None else [path for path in found if _of_media(path) == media]


def _of_media(path: str) -> Media:
    return "video" if "video" in name_of(path) else "image"


def _field(
    media: Media, leaves: Mapping[str, Any], roles: Mapping[str, Inferred], rows: int
) -> MediaField | None:
    if media == "audio":
        return _sound(leaves, roles)
    pixels = paths_of(leaves, roles, "pixel_values", media) or [
        path for path, leaf in leaves.items() if media == "image" and is_lists_of_images(leaf)
    ]
    if media == "video":
        pixels += [path for path in paths_of(leaves, roles, "video") if path not in pixels]
    grids = paths_of(leaves, roles, "image_grid", media)
    for path in pixels[:1]:
        return _of_pixels(media, path, leaves, roles, rows, grids)
    for path in grids[:1]:  # the pixels may come later, from the text
        found = _gridded(leaves[path])
        return MediaField(media, path, found, grid=path) if found else None
    return None


def _of_pixels(
    media: Media, path: str, leaves: Mapping[str, Any], roles: Mapping[str, Inferred], rows: int, grids: list[str]
) -> MediaField:  # fmt: skip
    leaf = leaves[path]
    held = len(leaf) if has(leaf, "__len__") else 0
    grid = next((one for one in grids if _gridded(leaves[one])), "")
    flat = attribute(leaf, "ndim", 0) == 2
    if grid:
        items = _gridded(leaves[grid])
        return MediaField(media, path, tuple(_with_dummies(items, leaf)), grid, held=held, patches=flat)
    if flat or attribute(leaf, "ndim", 0) == 3:
        return MediaField(
            media, path, (), held=held, patches=True, why=f"`{path}` holds patches, and no grid says whose"
        )
    masks = [leaves[one] for one in paths_of(leaves, roles, "pixel_mask")]
    sizes = next((p for p in paths_of(leaves, roles, "image_sizes") if media == "image"), "")
    pairs = _pairs(leaves[sizes]) if sizes else ()
    found = items_of_pixels(leaf, masks, rows, sized=bool(pairs))
    items = tuple(Item(one.row, one.tiles, size=one.size, dummy=one.dummy) for one in found)
    flags = _flags(leaves, len(items))
    if flags is not None:
        items = tuple(replace(one, dummy=one.dummy or not on) for one, on in zip(items, flags, strict=True))
    if pairs and len(pairs) == len(items):
        items = tuple(replace(one, size=pair) for one, pair in zip(items, pairs, strict=True))
        return MediaField(media, path, items, sizes=sizes, held=held)
    if len({one.size for one in items}) > 1 and all(one.size for one in items):
        return MediaField(media, path, items, sizes=path, held=held)  # a list of images as large as they are
    return MediaField(
        media, path, items, held=held, why="" if items else f"`{path}` is of a form that is not known"
    )


def _gridded(leaf: Any) -> tuple[Item, ...]:
    table = table_of(leaf)
    if table is None or table.ndim != 2 or table.shape[1] not in (2, 3) or bool((table < 1).any()):
        return ()
    flat = (1,) * (3 - table.shape[1])  # height and width alone: one frame
    return tuple(Item(grid=(*flat, *(int(one) for one in row))) for row in table)


def _with_dummies(items: Sequence[Item], leaf: Any) -> Iterator[Item]:
    """A clip or image whose patches are all alike is one that stands in for none."""
    at = 0
    for item in items:
        count = item.grid[0] * item.grid[1] * item.grid[2]
        part = leaf[at : at + count] if attribute(leaf, "ndim", 0) == 2 else leaf[:0]
        at += count
        probe = part[:: max(1, len(part) // 8)]
        alike = len(part) == count and bool((probe == part[0]).all()) and bool((part == part[0]).all())
        yield replace(item, dummy=alike)


def _pairs(leaf: Any) -> tuple[tuple[int, int], ...]:
    table = table_of(leaf)
    if table is None or table.ndim != 2 or table.shape[1] != 2:
        return ()
    return tuple((int(one[0]), int(one[1])) for one in table)


def flags_of(leaves: Mapping[str, Any]) -> list[str]:
    """Return fields that say which images are real, by their name and values."""
    found = []
    for path, leaf in leaves.items():
        name = name_of(path)
        if "flag" in name and ("image" in name or "pixel" in name) and leaf is not None:
            table = table_of(leaf)
            if table is not None and bool(((table == 0) | (table == 1)).all()):
                found.append(path)
    return found


def _flags(leaves: Mapping[str, Any], count: int) -> list[bool] | None:
    for path in flags_of(leaves):
        table = table_of(leaves[path]).reshape(-1)
        if len(table) == count:
            return [bool(one) for one in table]
    return None


def _sound(leaves: Mapping[str, Any], roles: Mapping[str, Inferred]) -> MediaField | None:
    for path in paths_of(leaves, roles, "audio")[:1]:
        shape = tuple(attribute(leaves[path], "shape", ()))
        if len(shape) < 2:
            return MediaField("audio", path, (), why=f"`{path}` is no tensor of sounds")
        stated = paths_of(leaves, roles, "audio_lengths")
        for other in (*stated, *(one for one in leaves if one != path)):
            lengths = _lengths(leaves[other], shape[0], shape[1:], listed=other in stated)
            if lengths is not None:
                items = tuple(Item(length=length) for length in lengths)
                return MediaField("audio", path, items, lengths=other, held=shape[0])
        why = f"nothing says how long each sound of `{path}` is"
        return MediaField("audio", path, (), held=shape[0], why=why)
    return None


def _lengths(leaf: Any, count: int, axes: tuple[int, ...], *, listed: bool) -> list[int] | None:
    """Return the length of each sound, from a mask over its frames or from a list."""
    table = table_of(leaf)
    if table is None:
        return None
    if table.shape[0] == count and table.shape[1] in axes and table.shape[1] > 1:
        flags = bool(((table == 0) | (table == 1)).all())
        return [int(length) for length in table.sum(1)] if flags else None
    flat = table.reshape(-1)
    return [int(length) for length in flat] if listed and len(flat) == count else None
