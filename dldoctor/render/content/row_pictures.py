"""Pictures of a row with what is drawn over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dldoctor.evidence.row_media import MediaRow, RowBox, RowPicture
from dldoctor.render.clean_text import clean

LONG = 200
"""Units of the longer side of a drawing."""
BEYOND = 0.03
"""So far outside of the picture a mark is still drawn."""
COLOURS = 8


@dataclass(frozen=True)
class BoxView:
    """A box in the units of its drawing."""

    x: float
    y: float
    width: float
    height: float
    label: str
    text_y: float
    colour: int
    outside: bool
    """It leaves the picture: drawn with dashes, up to the edge."""


@dataclass(frozen=True)
class PictureView:
    """One picture."""

    source: str
    """Data URI; empty where there is none."""
    masks: tuple[str, ...]
    """Data URIs that lie over it."""
    width: int
    """Of the drawing."""
    height: int
    boxes: tuple[BoxView, ...]
    points: tuple[tuple[float, float], ...]
    upright: tuple[float, ...]
    """Where tiles meet, from left to right."""
    level: tuple[float, ...]
    """Where tiles meet, from top to bottom."""
    alt: str
    caption: str

    @property
    def marked(self) -> bool:
        """Whether anything is drawn over it."""
        return bool(self.masks or self.boxes or self.points)


def colours_of(rows: Iterable[MediaRow]) -> dict[str, int]:
    """Return a colour for each label of a box: the same one in all rows."""
    labels = {box.label for row in rows for field in row.boxes for box in field.boxes}
    return {label: at % COLOURS for at, label in enumerate(sorted(labels))}


def picture_views(row: MediaRow, colours: Mapping[str, int]) -> tuple[PictureView, ...]:
    """Return the pictures; marks are drawn over the first that is no frame of a film."""
    marked = next((at for at, one in enumerate(row.pictures) if one.frame is None), -1)
    return tuple(
        _view(row, at, one, colours if at == marked else None) for at, one in enumerate(row.pictures)
    )


def _view(row: MediaRow, at: int, one: RowPicture, colours: Mapping[str, int] | None) -> PictureView:
    scale = LONG / max(one.width, one.height, 1)
    width, height = max(1, round(one.width * scale)), max(1, round(one.height * scale))
    marked, colours = colours is not None, colours or {}
    boxes = [box for field in row.boxes for box in field.boxes] if marked else []
    points = [point for field in row.points for point in field.points] if marked else []
    name = clean(one.path, 40)
    tall, columns = one.tiles
    if one.frame is None:
        number = f" {at + 1}" if len(row.pictures) > 1 else ""
        number += f", {tall} x {columns} tiles" if (tall, columns) != (1, 1) else ""
        caption = f"{name}{number}: {one.width}x{one.height}, {clean(one.shown_as, 120)}"
    else:
        time = "" if one.at_s is None else f" at {one.at_s:.3g} s"
        caption = f"{name}: frame {one.frame} of {one.frames}{time}"
    masks = tuple(f"data:image/png;base64,{mask.png}" for mask in row.masks if mask.png) if marked else ()
    return PictureView(
        source=f"data:image/png;base64,{one.png}" if one.png else "",
        masks=masks,
        width=width,
        height=height,
        boxes=tuple(_box(box, width, height, colours[box.label]) for box in boxes),
        points=tuple((round(_held(x) * width, 1), round(_held(y) * height, 1)) for x, y in points),
        upright=tuple(round(width * at / columns, 1) for at in range(1, columns)),
        level=tuple(round(height * at / tall, 1) for at in range(1, tall)),
        alt=f"{name} of {'sample ' + clean(str(row.sample), 40) if row.sample is not None else 'the row'}",
        caption=caption,
    )


def _box(box: RowBox, width: int, height: int, colour: int) -> BoxView:
    left, right = sorted((box.x, box.x + box.width))
    top, bottom = sorted((box.y, box.y + box.height))
    x, y = _held(left) * width, _held(top) * height
    return BoxView(
        x=round(x, 1),
        y=round(y, 1),
        width=round(max(_held(right) * width - x, 0.5), 1),
        height=round(max(_held(bottom) * height - y, 0.5), 1),
        label=clean(box.label, 24),
        text_y=round(y - 3 if y > 14 else y + 12, 1),
        colour=colour,
        outside=min(left, top) < -0.005 or max(right, bottom) > 1.005,
    )


def _held(share: float) -> float:
    return min(1 + BEYOND, max(-BEYOND, share))
