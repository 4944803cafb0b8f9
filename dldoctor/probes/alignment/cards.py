"""Test cards: pictures whose place, turn and cut can be recognised after a transform.

A card has the size, the kind and the range of the picture that it stands for, so that a transform treats
it as it treats the picture. Masks get a pattern of two of their own values.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.arrays import is_array, shape_of

BLOCKS = 12
FEW_VALUES = 64
"""A picture of fewer values is a mask."""
CHANNELS = (1, 3, 4)
EIGHT_BITS = ("L", "LA", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "LAB", "1")
ACROSS, DOWN = 2, 3
"""Cards that brighten from left to right, and from top to bottom. Smaller numbers are patterns of blocks."""
_VALUES: Counter[Any] = Counter()
_CARD: list[int] = [0]


def use(number: int) -> None:
    """Give this card from now on."""
    _CARD[0] = number


def pattern(number: int) -> Any:
    """Return a table of blocks, each 0 or 1; `number` tells one from another."""
    import torch

    source = random.Random(4000 + number)  # noqa: S311 - a pattern, no secret
    return torch.tensor([[source.randint(0, 1) for _ in range(BLOCKS)] for _ in range(BLOCKS)])


def card_of(value: Any) -> Any:
    """Return a card in place of a picture; anything else as it is."""
    if has(type(value), "getbands"):
        return of_pillow(value)
    return of_array(value) if is_array(value) else value


def is_picture(value: Any) -> bool:
    """Whether a value can be exchanged for a card."""
    return has(type(value), "getbands") or (is_array(value) and axes_of(shape_of(value) or ()) is not None)


def axes_of(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the axes of a picture, a film or a volume that a card varies along; None where it is none."""
    large = [side >= BLOCKS for side in shape]
    if len(shape) == 2:
        return (0, 1) if all(large) else None
    if len(shape) in (3, 4) and shape[-1] in CHANNELS and all(large[-3:-1]):
        return len(shape) - 3, len(shape) - 2
    if len(shape) in (3, 4) and shape[-3] in CHANNELS and all(large[-2:]):
        return len(shape) - 2, len(shape) - 1
    return (0, 1, 2) if len(shape) == 3 and all(large) else None


def of_pillow(picture: Any) -> Any:
    """Return a card in place of a Pillow image."""
    from PIL import Image

    picture.load()
    if picture.mode not in (*EIGHT_BITS, "P"):
        import numpy as np

        return Image.fromarray(of_array(np.asarray(picture)))
    few, low, high = _two_values(picture)
    card = Image.new(picture.mode, picture.size, low)
    card.paste(high, (0, 0), _brightness(picture.size, _CARD[0] if not few else min(_CARD[0], 1)))
    if picture.mode == "P" and picture.getpalette() is not None:
        card.putpalette(picture.getpalette())
    card.info = dict(picture.info)
    return card


def _brightness(size: tuple[int, int], number: int) -> Any:
    """Return a grey picture of a pattern, or of a slope."""
    from PIL import Image

    if number in (ACROSS, DOWN):
        slope = Image.linear_gradient("L")
        slope = slope.transpose(Image.Transpose.TRANSPOSE) if number == ACROSS else slope
        return slope.resize(size, Image.Resampling.BILINEAR)
    small = Image.new("L", (BLOCKS, BLOCKS))
    small.putdata([255 * int(one) for one in pattern(number % 2).flatten().tolist()])
    return small.resize(size, Image.Resampling.NEAREST)


def _two_values(picture: Any) -> tuple[bool, Any, Any]:
    """Return two values that the picture's kind has: of a mask two of its own, else dark and bright."""
    from PIL import Image

    colours = picture.resize((64, 64), Image.Resampling.NEAREST).getcolors(FEW_VALUES)
    if colours is None and picture.mode != "P":
        depth = len(picture.getbands())
        return False, (0,) * depth if depth > 1 else 0, (255,) * depth if depth > 1 else 255
    colours = colours or [(1, 0), (1, 1)]
    _VALUES.update({(picture.mode, value): count for count, value in colours})
    own = [value for _, value in sorted(colours, key=lambda one: -one[0])]
    known = [value for (mode, value), _ in _VALUES.most_common() if mode == picture.mode]
    found = list(dict.fromkeys([*own, *known]))
    return True, found[0], found[1 % len(found)]


def of_array(array: Any) -> Any:
    """Return a card in place of an array of pixels; anything else as it is."""
    shape = tuple(int(side) for side in array.shape) if is_array(array) else ()
    axes = axes_of(shape)
    if axes is None:
        return array
    tensor = type(array).__module__.partition(".")[0] == "torch"
    few, low, high = _range(array, tensor)
    shares = _shares(tuple(shape[axis] for axis in axes), min(_CARD[0], 1) if few else _CARD[0])
    shares = shares.reshape([shape[at] if at in axes else 1 for at in range(len(shape))]).expand(shape)
    # Between two values of a mask there is none; a slope is not cut to whole numbers before it is placed.
    if tensor:
        return (shares.double() * (float(high) - float(low)) + float(low)).to(array.dtype)
    import numpy as np

    drawn = shares.double().numpy() * (float(high) - float(low)) + float(low)
    return np.ascontiguousarray(drawn.astype(array.dtype))


def _range(array: Any, tensor: bool) -> tuple[bool, Any, Any]:
    """Return whether there are few values, and two of them: the commonest, else the least and greatest."""
    thinned = array[:: max(1, len(array) // 64)]
    if tensor:
        values, counts = thinned.unique(return_counts=True)
    else:
        import numpy as np

        values, counts = np.unique(thinned, return_counts=True)
    if len(values) >= FEW_VALUES:
        return False, values.min(), values.max()
    order = [int(at) for at in (-counts).argsort()]
    return True, values[order[0]], values[order[1 % len(order)]]


@lru_cache(maxsize=64)
def _shares(sides: tuple[int, ...], number: int) -> Any:
    """Return a table of 0 to 1 of these sides; of three sides it is a volume of blocks."""
    import torch

    if len(sides) == 3:
        source = random.Random(4100 + number)  # noqa: S311 - a pattern, no secret
        table = torch.tensor([source.randint(0, 1) for _ in range(BLOCKS**3)]).reshape([BLOCKS] * 3)
    elif number in (ACROSS, DOWN):
        side = sides[1] if number == ACROSS else sides[0]
        slope = (torch.arange(side) + 0.5) / side
        return slope.expand(sides) if number == ACROSS else slope[:, None].expand(sides)
    else:
        table = pattern(number)
    for axis, side in enumerate(sides):
        table = table.index_select(axis, torch.arange(side) * BLOCKS // side)
    return table
