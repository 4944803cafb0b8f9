"""Boxes, keypoints and masks of a row, in shares of its picture."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

from dldoctor.evidence.row_media import RowBox, RowBoxes, RowMask, RowPoints
from dldoctor.intent import Intent
from dldoctor.probes.alignment.boxes import FORMATS, NORMAL, box_row
from dldoctor.probes.alignment.rows.planes import smaller
from dldoctor.probes.alignment.rows.png import palette_png
from dldoctor.probes.look import as_tensor
from dldoctor.roles.box_tables import box_columns

DRAWN = 100
CLASSES = 64
IGNORED = 255
PALETTE = ((230, 75, 60), (60, 140, 230), (60, 170, 90), (240, 190, 40), (160, 90, 200), (20, 180, 190),
           (240, 120, 170), (140, 110, 70))  # fmt: skip
OPACITY = 105

Size = tuple[int, int]
Table = tuple[Any, Size]


def table_of(leaf: Any) -> Any:
    """Return numbers as a table of doubles; None where a leaf holds none."""
    found = as_tensor(leaf)
    if found is None and isinstance(leaf, (list, tuple)) and leaf:
        try:
            import torch

            found = torch.tensor(leaf)
        except (TypeError, ValueError, RuntimeError):
            return None
    return None if found is None else found.detach().double()


def box_format(tables: Sequence[Table], intent: Intent) -> tuple[str, str]:
    """Return the format of all boxes of a field, and how it is known."""
    if intent.box_format:
        return intent.box_format, "declared"
    rows = [row for leaf, size in tables if (row := box_row(0, "", leaf, size, {})) is not None]
    told = {row.told for row in rows if row.told}
    if len(told) == 1:
        return told.pop(), "named by the boxes"
    sums = {name: sum(row.bad(name) for row in rows) for name in FORMATS}
    best = min(FORMATS, key=lambda name: (sums[name], FORMATS.index(name)))
    fitting = [name for name in FORMATS if not sums[name]]
    if len(fitting) > 1:
        others = " and ".join(name for name in fitting if name != best)
        return best, f"{others} would fit too; --box-format settles it"
    return best, "values"


def boxes_of(
    path: str, leaf: Any, size: Size, form: tuple[str, str], labels: Sequence[str], intent: Intent
) -> RowBoxes | None:
    """Return the boxes of one row in shares of its picture, fillers left out."""
    table = table_of(leaf)
    if table is None or not len(table) or (table := box_columns(table)) is None:
        return None
    normal = intent.boxes_normalised or bool((table.abs() <= NORMAL).all())
    width, height = (1, 1) if normal else size
    drawn, count = list[RowBox](), 0
    for at, row in enumerate(table.tolist()):
        if (len(set(row)) == 1 and row[0] <= 0) or not all(map(math.isfinite, row)):
            continue
        count += 1
        if len(drawn) < DRAWN:
            label = labels[at] if len(labels) == len(table) else ""
            drawn.append(_box(row, form[0], width, height, label))
    return RowBoxes(path, form[0], form[1], tuple(drawn), count) if count else None


def _box(row: Sequence[float], form: str, width: int, height: int, label: str) -> RowBox:
    x, y, third, fourth = row
    if form == "xyxy":
        third, fourth = third - x, fourth - y
    elif form == "cxcywh":
        x, y = x - third / 2, y - fourth / 2
    return RowBox(
        round(x / width, 5), round(y / height, 5), round(third / width, 5), round(fourth / height, 5), label
    )


def points_of(path: str, leaf: Any, size: Size) -> RowPoints | None:
    """Return the visible keypoints of one row in shares of its picture."""
    table = table_of(leaf)
    if table is None or table.ndim not in (2, 3) or table.shape[-1] not in (2, 3) or not table.numel():
        return None
    points = table.reshape(-1, table.shape[-1])
    count = len(points)
    if points.shape[1] == 3:
        points = points[points[:, 2] > 0]
    points = points[points.isfinite().all(1)][:DRAWN, :2]
    normal = not len(points) or bool((points.abs() <= NORMAL).all())
    width, height = (1, 1) if normal else size
    return RowPoints(
        path, tuple((round(x / width, 5), round(y / height, 5)) for x, y in points.tolist()), count
    )


def mask_of(path: str, leaf: Any, side: int) -> RowMask | None:
    """Return the mask of one row with a colour for each class; nothing of it is averaged."""
    import torch

    if isinstance(leaf, (list, tuple)) and len(leaf) == 1:
        leaf = leaf[0]
    table = as_tensor(leaf)
    if table is None or table.ndim not in (2, 3) or not table.numel():
        return None
    table = table.detach()
    if table.ndim == 3 and table.shape[2] == 1 and table.shape[0] != 1:
        table = table[..., 0]
    if table.ndim == 3:
        # One plane for each object: the last one lies on top.
        numbers = torch.arange(1, len(table) + 1).reshape(-1, 1, 1)
        table = table[0] if len(table) == 1 else ((table > 0) * numbers).amax(0)
    scale = 1.0
    if table.is_floating_point() and table.numel() and 0 < float(table.max()) <= 1:
        scale = 1.0 if bool((table == table.round()).all()) else 255.0
    plane = (table.double() * scale).round().long()
    height, width = (int(n) for n in plane.shape)
    small = smaller((width, height), side)
    rows = (torch.arange(small[1]) * height) // small[1]
    columns = (torch.arange(small[0]) * width) // small[0]
    classes = [int(one) for one in plane.unique().tolist()]
    shown = classes[:CLASSES]
    places = torch.zeros(small[1], small[0], dtype=torch.long)
    for at, value in enumerate(shown):
        places[plane[rows][:, columns] == value] = at
    png = palette_png(places, [_colour(value) for value in shown])
    return RowMask(path, base64.b64encode(png).decode("ascii"), width, height, tuple(shown))


def _colour(value: int) -> tuple[int, int, int, int]:
    if value == 0:
        return (0, 0, 0, 0)
    if value < 0 or value == IGNORED:
        return (128, 128, 128, OPACITY)
    return (*PALETTE[(value - 1) % len(PALETTE)], OPACITY)
