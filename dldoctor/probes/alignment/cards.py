"""Lets the known readers give test cards in place of pictures: a pattern whose place and turn can be recognised.

A card has the size and mode of the picture that it stands for, and two of its values, so that a
transform treats it as it treats the picture. Use it only in a process made for a probe.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import is_first_party

BLOCKS = 12
FEW_VALUES = 64
"""A picture of fewer values is a mask."""
_VALUES: Counter[Any] = Counter()
_PATTERN: list[int] = [0]


def pattern(number: int) -> Any:
    """Return a table of blocks, each 0 or 1; `number` tells one from another."""
    import torch

    source = random.Random(4000 + number)  # noqa: S311 - a pattern, no secret
    return torch.tensor([[source.randint(0, 1) for _ in range(BLOCKS)] for _ in range(BLOCKS)])


def use(number: int) -> None:
    """Give this pattern from now on."""
    _PATTERN[0] = number


def give_cards() -> list[str]:
    """Replace the readers that are loaded; return which."""
    replaced = []
    for module, name, make in (
        ("PIL.Image", "open", _of_pillow),
        ("cv2", "imread", _of_array),
        ("torchvision.io", "read_image", _of_tensor),
        ("torchvision.io", "decode_image", _of_tensor),
        ("numpy", "load", _of_array),
    ):
        owner = sys.modules.get(module)
        original = getattr(owner, name, None)
        if owner is not None and callable(original):
            reader = _reader(original, make)
            setattr(owner, name, reader)
            _replace_names(original, reader)
            replaced.append(f"{module}.{name}")
    return replaced


def _replace_names(original: Any, reader: Any) -> None:
    """Reach the modules of the user that imported a reader by its name."""
    for module in list(sys.modules.values()):
        if is_first_party(getattr(module, "__file__", None) or "<unknown>"):
            for name, value in list(vars(module).items()):
                if value is original:
                    setattr(module, name, reader)


def _reader(original: Callable[..., Any], make: Callable[[Any], Any]) -> Callable[..., Any]:
    def read(*args: Any, **options: Any) -> Any:
        return make(original(*args, **options))

    return read


def _of_pillow(picture: Any) -> Any:
    from PIL import Image

    picture.load()
    low, high = _two_values(picture)
    small = Image.new("L", (BLOCKS, BLOCKS))
    small.putdata([255 * int(one) for one in pattern(_PATTERN[0]).flatten().tolist()])
    card = Image.new(picture.mode, picture.size, low)
    card.paste(high, (0, 0), small.resize(picture.size, Image.Resampling.NEAREST))
    if picture.mode == "P" and picture.getpalette() is not None:
        card.putpalette(picture.getpalette())
    card.info = dict(picture.info)
    return card


def _two_values(picture: Any) -> tuple[Any, Any]:
    """Return two values that the picture's kind has: of a mask two of its own, else dark and bright."""
    from PIL import Image

    colours = picture.resize((64, 64), Image.Resampling.NEAREST).getcolors(FEW_VALUES)
    if colours is None:
        depth = {"RGB": 3, "RGBA": 4, "CMYK": 4, "LA": 2}.get(picture.mode, 1)
        return ((0,) * depth, (255,) * depth) if depth > 1 else (0, 255)
    _VALUES.update({(picture.mode, value): count for count, value in colours})
    own = [value for _, value in sorted(colours, key=lambda one: -one[0])]
    known = [value for (mode, value), _ in _VALUES.most_common() if mode == picture.mode]
    found = list(dict.fromkeys([*own, *known]))
    return (found[0], found[1]) if len(found) > 1 else (found[0], found[0])


def _of_array(array: Any) -> Any:
    if not is_array(array) or array.ndim not in (2, 3) or min(array.shape[:2]) < BLOCKS:
        return array
    import numpy as np

    values, counts = np.unique(array[:: max(1, len(array) // 64)], return_counts=True)
    order = counts.argsort()[::-1]
    low, high = (values[order[0]], values[order[1 % len(order)]]) if len(values) < FEW_VALUES else (
        values.min(), values.max()
    )  # fmt: skip
    rows = np.arange(array.shape[0]) * BLOCKS // array.shape[0]
    columns = np.arange(array.shape[1]) * BLOCKS // array.shape[1]
    card = np.array(pattern(_PATTERN[0]).tolist())[rows][:, columns]
    shaped = card if array.ndim == 2 else card[:, :, None]
    return np.where(shaped > 0, high, low).astype(array.dtype) * np.ones_like(array)


def _of_tensor(picture: Any) -> Any:
    import torch

    if not is_array(picture) or picture.ndim != 3 or min(picture.shape[1:]) < BLOCKS:
        return picture
    values, counts = torch.unique(picture[:, ::7, ::7], return_counts=True)
    order = counts.argsort(descending=True)
    few = 1 < len(values) < FEW_VALUES
    low, high = (values[order[0]], values[order[1]]) if few else (values.min(), values.max())
    rows = torch.arange(picture.shape[1]) * BLOCKS // picture.shape[1]
    columns = torch.arange(picture.shape[2]) * BLOCKS // picture.shape[2]
    card = pattern(_PATTERN[0])[rows][:, columns].expand(picture.shape)
    return torch.where(card > 0, high, low).to(picture.dtype)
