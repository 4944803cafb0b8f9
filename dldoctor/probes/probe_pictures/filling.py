"""Puts a probe picture in the place of the pixels that a decoder returned; size, kind and metadata stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dldoctor.evidence.probe_pictures import GivenOrder
from dldoctor.foreign import attribute
from dldoctor.probes.arrays import is_array
from dldoctor.probes.probe_pictures.drawings import Drawing, drawn

SMALLEST = 12
FEW_VALUES = 64
"""A picture of fewer values is a mask, a palette or a drawing, which must keep its values."""
CHANNELS = (1, 3, 4)
EIGHT_BITS = ("RGB", "RGBA", "RGBX", "L", "LA", "CMYK", "YCbCr")
WIDE = ("I;16", "I", "F")
COLOURED = ("RGB", "RGBA", "RGBX", "CMYK", "YCbCr")
LOOKED_AT = 12289
"""Values that tell whether there are few; no multiple of a usual side."""
Size = tuple[int, int]
"""Height and width."""


def fill_pillow(picture: Any, drawing: Drawing, filled: Callable[[Size], None]) -> Any:
    """Let a Pillow image show a drawing as soon as its pixels are asked for: `draft` may still change its size."""
    if picture.mode in (*EIGHT_BITS, *WIDE) and min(picture.size) >= SMALLEST:
        picture.load = _Loading(picture, drawing, filled)
    return picture


class _Loading:
    """Stands for `load` of one image."""

    def __init__(self, picture: Any, drawing: Drawing, filled: Callable[[Size], None]) -> None:
        self._picture, self._drawing, self._filled = picture, drawing, filled
        self._done = self._inside = False

    def __call__(self) -> Any:
        picture = self._picture
        pending = not self._done or bool(attribute(picture, "tile"))
        loaded = type(picture).load(picture)
        if not pending or self._inside:
            return loaded
        self._inside = True
        try:
            if not _is_few(picture):
                picture.im = _in_mode(picture, self._drawing).im
                self._filled((picture.size[1], picture.size[0]))
        finally:
            self._inside, self._done = False, True
        return type(picture).load(picture)


def _is_few(picture: Any) -> bool:
    if picture.mode in EIGHT_BITS:
        return picture.getcolors(FEW_VALUES) is not None
    import numpy as np

    return _few(np.asarray(picture))


def _in_mode(picture: Any, drawing: Drawing) -> Any:
    from PIL import Image

    width, height = picture.size
    pixels = drawn(drawing, height, width)
    made = Image.frombytes("RGB", picture.size, pixels.contiguous().numpy().tobytes())
    if picture.mode in EIGHT_BITS:
        return made.convert(picture.mode)
    import numpy as np

    kind = {"I;16": np.uint16, "I": np.int32, "F": np.float32}[picture.mode]
    low, high = picture.getextrema()
    grey = np.asarray(made.convert("L"), dtype=np.float64)
    return Image.fromarray((low + grey / 255 * (high - low)).astype(kind))


def fill_array(array: Any, order: GivenOrder | None, drawing: Drawing) -> Size | None:
    """Write a drawing into an array that was just decoded; return its size, None where it is no picture."""
    if not is_array(array) or not _is_ours(array):
        return None
    shape = tuple(int(side) for side in array.shape)
    axis = channel_axis(shape)
    if axis is None or _few(array):
        return None
    height, width = shape[1:] if axis == 0 else shape[:2]
    planes = _planes(drawn(drawing, height, width), order, 1 if axis == -1 else shape[axis])
    values = planes[..., 0] if axis == -1 else planes.permute(2, 0, 1) if axis == 0 else planes
    if not str(array.dtype).endswith("uint8"):
        low, high = float(array.min()), float(array.max())
        values = values.double() / 255 * (high - low) + low
    if type(array).__module__.partition(".")[0] == "torch":
        array.copy_(values)
    else:
        array[...] = values.numpy().astype(array.dtype)
    return height, width


def _is_ours(array: Any) -> bool:
    """Whether an array lies in memory of this process alone; one that maps a file must not be written to."""
    kind = type(array)
    if kind.__module__.partition(".")[0] == "torch":
        return not array.is_complex()
    return kind.__name__ == "ndarray" and array.dtype.kind in "uif" and bool(array.flags.writeable)


def channel_axis(shape: tuple[int, ...]) -> int | None:
    """Return the axis of the channels (0 or 2), -1 for a plane without; None where the shape is no picture's."""
    if len(shape) == 2:
        return -1 if min(shape) >= SMALLEST else None
    if len(shape) == 3 and shape[2] in CHANNELS and min(shape[:2]) >= SMALLEST:
        return 2
    if len(shape) == 3 and shape[0] in CHANNELS and min(shape[1:]) >= SMALLEST:
        return 0
    return None


def _planes(made: Any, order: GivenOrder | None, channels: int) -> Any:
    """Return a drawing with so many channels, in this order."""
    import torch

    if channels == 1:
        weights = torch.tensor([0.299, 0.587, 0.114])
        return (made.float() @ weights)[..., None].round().to(torch.uint8)
    pixels = made.flip(2) if order == "bgr" else made
    if channels == 4:
        opaque = torch.full((*made.shape[:2], 1), 255, dtype=torch.uint8)
        return torch.cat([pixels, opaque], 2)
    return pixels


def _few(array: Any) -> bool:
    flat = array.reshape(-1)
    return len(set(flat[:: max(1, len(flat) // LOOKED_AT)].tolist())) <= FEW_VALUES
