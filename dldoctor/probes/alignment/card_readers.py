"""Lets the known readers of pictures give test cards. Use it only in a process made for a probe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.alignment.cards import card_of
from dldoctor.probes.rebinding import replace_names

READERS = (
    ("PIL.Image", "open"),
    ("cv2", "imread"),
    ("cv2", "imdecode"),
    ("torchvision.io", "read_image"),
    ("torchvision.io", "decode_image"),
    ("torchvision.io", "decode_jpeg"),
    ("torchvision.io", "decode_png"),
    ("skimage.io", "imread"),
    ("imageio", "imread"),
    ("imageio.v2", "imread"),
    ("imageio.v3", "imread"),
    ("tifffile", "imread"),
    ("numpy", "load"),
)
"""Functions that return a picture, by module."""
ROWS = (("h5py", "Dataset"), ("zarr", "Array"))
"""Arrays in files, of which an index gives a picture."""


def give_cards() -> list[str]:
    """Replace the readers that are loaded; return which."""
    replaced = []
    for module, name in READERS:
        owner = sys.modules.get(module)
        original = attribute(owner, name, None)
        if owner is not None and callable(original):
            reader = _reading(original)
            setattr(owner, name, reader)
            replace_names(original, reader)
            replaced.append(f"{module}.{name}")
    for module, name in ROWS:
        kind = attribute(sys.modules.get(module), name, None)
        if kind is not None:
            kind.__getitem__ = _reading(kind.__getitem__)
            replaced.append(f"{module}.{name}")
    return replaced


def _reading(original: Callable[..., Any]) -> Callable[..., Any]:
    def read(*args: Any, **options: Any) -> Any:
        return card_of(original(*args, **options))

    return read
