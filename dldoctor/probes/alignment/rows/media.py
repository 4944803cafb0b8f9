"""The pictures, films, masks, boxes and keypoints of one row."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dldoctor.evidence.row_media import MediaRow, RowPicture
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.alignment.masks import planes as mask_paths
from dldoctor.probes.alignment.pictures import paths_of
from dldoctor.probes.alignment.rows.colours import Scaling, scaling_of
from dldoctor.probes.alignment.rows.limit import side_for
from dldoctor.probes.alignment.rows.marks import box_format, boxes_of, mask_of, points_of, table_of
from dldoctor.probes.alignment.rows.planes import (
    PICTURES,
    TILES,
    coarse,
    frames_in,
    pictures_in,
    size_of,
    thumbnail,
)
from dldoctor.probes.alignment.rows.png import png
from dldoctor.probes.alignment.rows.sounds import stated
from dldoctor.probes.alignment.rows.tiles import in_place
from dldoctor.probes.alignment.times import FRAME_RATES
from dldoctor.probes.look import as_tensor

Held = Mapping[str, Any]
Roles = Mapping[str, Inferred]


@dataclass(frozen=True)
class Reading:
    """How the fields of all rows are to be read; settled from the first rows together."""

    roles: Roles
    intent: Intent
    side: int
    scalings: Mapping[str, Scaling] = field(default_factory=dict)
    box_formats: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    classes: Mapping[int, str] = field(default_factory=dict)


class _Shown(NamedTuple):
    """One picture of a row, before it is made small."""

    path: str
    plane: Any
    frame: int | None = None
    at_s: float | None = None
    frames: int = 0
    tiles: tuple[int, int] = (1, 1)


def settled(
    rows: Sequence[Held], roles: Roles, intent: Intent, side: int, starts: Sequence[tuple[str, Any]]
) -> Reading:
    """Return how pictures and boxes are read, from the first rows."""
    scalings, formats = {}, {}
    for path, one in roles.items():
        if one.role in ("pixel_values", "video"):
            planes = [
                plane for held in rows if path in held for plane in _planes(held[path], one.role == "video")
            ]
            channels = [plane for plane in planes if plane.shape[-1] == planes[0].shape[-1]]
            scalings[path] = scaling_of(
                [coarse(one, side) for one in channels], starts, intent.scaled_on_device
            )
        elif one.role == "boxes":
            tables = [
                (held[path], size)
                for held in rows
                if path in held and (size := picture_size(held, roles)) is not None
            ]
            formats[path] = box_format(tables, intent)
    return Reading(roles, intent, side, scalings, formats)


def _planes(leaf: Any, film: bool) -> list[Any]:
    return frames_in(leaf)[0] if film else pictures_in(leaf)


def picture_size(held: Held, roles: Roles) -> tuple[int, int] | None:
    """Return width and height of the first picture of a row."""
    for path in paths_of("pixel_values", roles, held):
        for plane in pictures_in(held[path])[:1]:
            return size_of(plane)
    return None


def pictures_of(held: Held, reading: Reading) -> tuple[RowPicture, ...]:
    """Return the pictures of a row and frames of its films."""
    found = list[_Shown]()
    for path in paths_of("pixel_values", reading.roles, held):
        found += _still(path, pictures_in(held[path], TILES))
    for path in paths_of("video", reading.roles, held):
        planes, numbers, total = frames_in(held[path])
        times = _times(held, reading.roles, total)
        found += [
            _Shown(path, plane, number, times[number] if times else None, total)
            for plane, number in zip(planes, numbers, strict=True)
        ]
    side = side_for(reading.side, len(found))
    return tuple(_picture(one, reading.scalings.get(one.path), side, reading.intent) for one in found)


def _still(path: str, planes: list[Any]) -> Iterator[_Shown]:
    """Yield pictures, tiles of one in place."""
    placed = in_place(planes)
    if placed is None:
        yield from (_Shown(path, plane) for plane in planes[:PICTURES])
        return
    yield from (_Shown(path, plane) for plane in placed.before)
    yield _Shown(path, placed.picture, tiles=(placed.rows, placed.columns))
    yield from (_Shown(path, plane) for plane in placed.after)


def _picture(shown: _Shown, scaling: Scaling | None, side: int, intent: Intent) -> RowPicture:
    plane = shown.plane
    scaling = scaling or scaling_of([plane], (), intent.scaled_on_device)
    if len(scaling.mean) not in (1, int(plane.shape[-1])):
        scaling = Scaling(stretch=True, said="stretched from least to greatest")
    small = thumbnail(scaling.undone(coarse(plane, side)), side, bgr=intent.channel_order == "bgr")
    width, height = size_of(plane)
    coded = base64.b64encode(png(small)).decode("ascii")
    return RowPicture(
        shown.path, coded, width, height, scaling.said, shown.at_s, shown.frame, shown.frames, shown.tiles
    )


def _times(held: Held, roles: Roles, frames: int) -> list[float]:
    """Return the time of each frame, by its stamps or by a rate."""
    for path in paths_of("timestamps", roles, held):
        table = as_tensor(held[path])
        if table is not None and table.numel() == frames:
            return [round(float(one), 3) for one in table.reshape(-1).tolist()]
    rate = stated(FRAME_RATES, held)
    return [round(at / rate, 3) for at in range(frames)] if rate else []


def marks_of(row: MediaRow, held: Held, reading: Reading) -> dict[str, Any]:
    """Return masks, boxes and keypoints of a row as fields of it; they need its first picture's size."""
    still = [one for one in row.pictures if one.frame is None]
    if not still:
        return {}
    size = (still[0].width, still[0].height)
    roles = reading.roles
    masks = paths_of("segmentation_mask", roles, held) or mask_paths(held, size)
    boxes = paths_of("boxes", roles, held)
    return {
        "masks": tuple(m for path in masks[:2] if (m := mask_of(path, held[path], reading.side)) is not None),
        "boxes": tuple(
            found
            for path in boxes[:2]
            if (
                found := boxes_of(
                    path,
                    held[path],
                    size,
                    reading.box_formats.get(path, ("xyxy", "values")),
                    _labels(held, reading),
                    reading.intent,
                )
            )
            is not None
        ),
        "points": tuple(
            p
            for path in paths_of("keypoints", roles, held)[:2]
            if (p := points_of(path, held[path], size)) is not None
        ),
    }


def _labels(held: Held, reading: Reading) -> list[str]:
    """Return the names of the classes of the boxes, or their numbers."""
    for path in paths_of("class_label", reading.roles, held):
        table = table_of(held[path])
        if table is not None and table.ndim == 1:
            return [named(int(one), reading.classes) for one in table.tolist()]
    return []


def named(number: int, classes: Mapping[int, str]) -> str:
    """Return the name of a class with its number, or the number alone."""
    return f"{classes[number]} ({number})" if number in classes else str(number)
