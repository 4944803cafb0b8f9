"""Masks and keypoints of a sample against its picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.annotations import MaskRow
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.pictures import SMALLEST, Size
from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor

NORMAL = 1.5
ROOM = 0.01
NAMES = ("mask", "seg", "annotation", "ground_truth")
ALIKE = 0.03
"""Proportions may differ by so much: sides are whole numbers."""


def planes(held: Mapping[str, Any], size: Size) -> list[str]:
    """Return fields that are masks by name, and planes of whole numbers in the picture's proportions.

    The roles know a mask by having the picture's own size, which is what is asked here.
    """
    found = []
    for path, leaf in held.items():
        name = path.rpartition(".")[2].lower()
        if any(word in name for word in NAMES) and is_array(leaf) and len(leaf.shape) in (2, 3):
            table = as_tensor(leaf)
            if table is None or table.is_floating_point():
                continue
            own = _mask_size(table)
            if min(own) >= SMALLEST and abs(own[0] * size[1] - own[1] * size[0]) <= ALIKE * own[0] * size[1]:
                found.append(path)
    return found


def mask_row(sample: SampleId, path: str, leaf: Any, size: Size, role: str) -> MaskRow | None:
    """Return the mask or the keypoints where they do not fit the picture."""
    if isinstance(leaf, (list, tuple)) and len(leaf) == 1:
        leaf = leaf[0]
    table = as_tensor(leaf)
    if table is None or table.ndim < 2 or not table.numel():
        return None
    own = _mask_size(table) if role == "segmentation_mask" else _farthest(table, size)
    if own is None or own == size:
        return None
    kind = "mask" if role == "segmentation_mask" else "keypoints"
    return MaskRow(sample, path, kind, size[0], size[1], own[0], own[1])


def _mask_size(table: Any) -> Size:
    shape = [int(n) for n in table.shape]
    if len(shape) == 3 and shape[2] in (1, 3) and shape[0] not in (1, 3):
        return shape[1], shape[0]
    return shape[-1], shape[-2]


def _farthest(table: Any, size: Size) -> Size | None:
    """Return the size that the visible keypoints need, where it is more than the picture has."""
    if table.shape[-1] not in (2, 3):
        return None
    points = table.detach().double().reshape(-1, table.shape[-1])
    if points.shape[1] == 3:
        points = points[points[:, 2] > 0]
    points = points[points[:, :2].isfinite().all(1)]
    if not len(points) or bool((points[:, :2].abs() <= NORMAL).all()):
        return None
    far = [float(points[:, axis].max()) for axis in (0, 1)]
    if all(value <= side * (1 + ROOM) + 1 for value, side in zip(far, size, strict=True)):
        return None
    return round(far[0]), round(far[1])
