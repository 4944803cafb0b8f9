"""Boxes and keypoints of a sample against its picture, in each format that they may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.annotations import FORMATS as KNOWN_FORMATS
from dldoctor.evidence.annotations import BoxRow, OtherSize
from dldoctor.finding import SampleId
from dldoctor.foreign import attribute
from dldoctor.probes.alignment.pictures import Size
from dldoctor.probes.look import as_tensor
from dldoctor.roles.box_tables import box_columns

FORMATS = KNOWN_FORMATS
NORMAL = 2.0
"""Where no coordinate is above it, they are shares of the side."""
THOUSAND = 1000
ROOM = 0.01
ROOM_PX = 1.0
"""A box may leave the picture by so much: rounding, and boxes that count pixel edges."""


def box_row(sample: SampleId, path: str, leaf: Any, size: Size, others: Mapping[str, Size]) -> BoxRow | None:
    """Return the facts of one table of boxes; None where it holds none."""
    held = _table(leaf)
    if held is None:
        return None
    boxes, reach = held
    normal = bool((boxes.abs() <= NORMAL).all())
    told, canvas = _told(leaf)
    room = {name: one for name, one in others.items() if one != size}
    if canvas is not None and canvas != size:
        room = {"canvas_size": canvas, **room}
    bad = {name: _bad(boxes, name, (1, 1) if normal else size) for name in FORMATS}
    return BoxRow(
        sample=sample,
        path=path,
        boxes=len(boxes),
        width=size[0],
        height=size[1],
        normalised=normal,
        reach=reach,
        told=told,
        flat={name: int(flat.sum()) for name, (flat, _) in bad.items()},
        outside={name: int((out & ~flat).sum()) for name, (flat, out) in bad.items()},
        example={
            name: tuple(round(float(v), 4) for v in boxes[int(wrong.int().argmax())])
            for name, (flat, out) in bad.items()
            if bool((wrong := flat | out).any())
        },
        others=()
        if normal
        else tuple(
            OtherSize(
                name,
                one[0],
                one[1],
                {fmt: int((f | o).sum()) for fmt in FORMATS for f, o in [_bad(boxes, fmt, one)]},
            )
            for name, one in room.items()
        ),
    )


def _table(leaf: Any) -> Any:
    table = as_tensor(leaf)
    if table is None and isinstance(leaf, (list, tuple)) and leaf:
        try:
            import torch

            table = torch.tensor(leaf)
        except (TypeError, ValueError, RuntimeError):
            return None
    if table is None or not len(table) or (table := box_columns(table.detach())) is None:
        return None
    boxes = table.double()
    boxes = boxes[boxes.isfinite().all(1)]
    # Rows of zeros or of -1 fill a table up to a fixed number of boxes; beside tokens, the end of a text has
    # the far corner of a page in thousandths.
    filler = (boxes == boxes[:, :1]).all(1) & ((boxes[:, 0] <= 0) | (boxes[:, 0] == THOUSAND))
    return (boxes[~filler], float(boxes.max())) if bool((~filler).any()) else None


def _told(leaf: Any) -> tuple[str | None, Size | None]:
    """Return the format and the size of the picture that torchvision's boxes carry."""
    if type(leaf).__name__ != "BoundingBoxes":
        return None, None
    format_ = attribute(attribute(leaf, "format", None), "value", None)
    canvas = attribute(leaf, "canvas_size", None)
    name = str(format_).lower() if format_ is not None else None
    return name if name in FORMATS else None, (int(canvas[1]), int(canvas[0])) if canvas else None


def _bad(boxes: Any, name: str, size: Size) -> tuple[Any, Any]:
    """Return which boxes have no area, and which leave the picture."""
    first, second = boxes[:, :2], boxes[:, 2:]
    if name == "xyxy":
        low, high = first, second
    elif name == "xywh":
        low, high = first, first + second
    else:
        low, high = first - second / 2, first + second / 2
    flat = (high <= low).any(1)
    outside = False
    for axis in (0, 1):
        room = ROOM if size == (1, 1) else max(ROOM_PX, ROOM * size[axis])
        outside = outside | (low[:, axis] < -room) | (high[:, axis] > size[axis] + room)
    return flat, outside
