"""The pictures of a sample as ``[C, H, W]`` of real numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from dldoctor.probes.look import as_tensor
from dldoctor.roles.flatten import leaves

CHANNELS = (1, 3, 4)
SMALLEST = 8
MOST = 4
"""Pictures of one sample that are looked at."""


class Plane(NamedTuple):
    """One picture of a sample."""

    values: Any
    """``[C, H, W]``, at most three channels."""
    whole: bool
    """It came as integers."""


Planes = dict[str, Plane]


def planes_of(sample: Any) -> Planes:
    """Return path to channels of each leaf that holds a picture; of several pictures in a leaf the first."""
    found: Planes = {}
    for path, leaf in leaves(sample):
        plane = plane_of(leaf)
        if plane is not None and len(found) < MOST:
            found[path] = plane
    return found


def plane_of(leaf: Any) -> Plane | None:
    """Return the channels of one picture, copied; None where a leaf is none."""
    if isinstance(leaf, (list, tuple)):
        return plane_of(leaf[0]) if leaf and not isinstance(leaf[0], (int, float, str, bytes)) else None
    tensor = as_tensor(leaf)
    if tensor is None or tensor.ndim < 2 or tensor.numel() == 0 or str(tensor.dtype) == "torch.bool":
        return None
    while tensor.ndim > 3 or (tensor.ndim == 3 and _axis(tensor.shape) is None):
        tensor = tensor[0]
    axis = _axis(tensor.shape)
    if axis is None:
        return None
    if axis == -1:
        tensor = tensor[None]
    elif axis == 2:
        tensor = tensor.permute(2, 0, 1)
    values = tensor[:3].float().clone()
    # A value that is not finite is another rule's, and would spread over all that is computed.
    return Plane(values, not tensor.dtype.is_floating_point) if bool(values.isfinite().all()) else None


def _axis(shape: Any) -> int | None:
    """Return the axis of the channels (0 or 2), -1 for a plane without; None where the shape is no picture's."""
    shape = tuple(int(side) for side in shape)
    if len(shape) == 2:
        return -1 if min(shape) >= SMALLEST else None
    if len(shape) == 3 and shape[0] in CHANNELS and min(shape[1:]) >= SMALLEST:
        return 0
    if len(shape) == 3 and shape[2] in CHANNELS and min(shape[:2]) >= SMALLEST:
        return 2
    return None
