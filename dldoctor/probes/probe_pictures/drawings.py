"""The probe pictures: colours, slopes, noise and a smooth hill, as ``[H, W, 3]`` bytes in RGB."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

Drawing = Literal["black", "red", "green", "blue", "steps", "across", "down", "noise", "hills"]
COLOURS: tuple[Drawing, ...] = ("red", "green", "blue")
BLOCK = 24
"""Colours come in blocks of two levels: a picture of one value would vanish where a transform divides by its spread."""
BRIGHT, FULL = 150, 255
FAINT = 16
"""Of a fifth of what is black otherwise."""
STEPS = (64, 160)
"""Two levels of grey that tell how much a transform stretches or squeezes the levels in between."""
SLOPE_FROM, SLOPE_OVER = 40, 160
NOISE_FROM, NOISE_OVER = 48, 160
"""Slopes and noise keep away from the ends, so that brightening and filters that overshoot cut nothing off."""
HILL_FROM, HILL_OVER = 8, 240
LARGE = 1024
"""Pixels of a side from which on there are several hills: a cut of the picture must still show some slope."""


@lru_cache(maxsize=6)
def drawn(name: Drawing, height: int, width: int) -> Any:
    """Return a probe picture of this size; it must not be written to."""
    import torch

    if name == "black":
        return _blocks(height, width, 0, FAINT, 5)[:, :, None].expand(height, width, 3)
    if name in COLOURS:
        made = torch.zeros(height, width, 3, dtype=torch.uint8)
        made[:, :, COLOURS.index(name)] = _blocks(height, width, BRIGHT, FULL, 2)
        return made
    if name == "steps":
        plane = _squares(height, width)
    elif name in ("across", "down"):
        plane = slope(height, width, name)
    elif name == "noise":
        plane = noise(height, width)
    else:
        plane = _hills(height, width)
    return plane.float().round().to(torch.uint8)[:, :, None].expand(height, width, 3)


def _blocks(height: int, width: int, low: int, high: int, one_in: int) -> Any:
    import torch

    source = torch.Generator().manual_seed(70 + one_in)
    size = max(1, min(max(BLOCK, min(height, width) // 24), height // 8, width // 8))
    rows, columns = -(-height // size), -(-width // size)
    table = torch.randint(0, one_in, (rows, columns), generator=source) == 0
    table = (table * (high - low) + low).to(torch.uint8)
    return table.repeat_interleave(size, 0)[:height].repeat_interleave(size, 1)[:, :width]


def _squares(height: int, width: int) -> Any:
    """Return large squares of two greys in turns: their middles show a level as it is, whatever edges become."""
    import torch

    size = max(1, min(height, width) // 5)
    turns = (torch.arange(height)[:, None] // size + torch.arange(width)[None] // size) % 2
    return turns * (STEPS[1] - STEPS[0]) + STEPS[0]


def slope(height: int, width: int, name: str) -> Any:
    """Return a plane that brightens evenly from left to right, or from top to bottom."""
    import torch

    side = width if name == "across" else height
    values = SLOPE_FROM + SLOPE_OVER * (torch.arange(side) + 0.5) / side
    return values.expand(height, width) if name == "across" else values[:, None].expand(height, width)


def noise(height: int, width: int) -> Any:
    """Return a plane whose pixels have nothing to do with one another."""
    import torch

    source = torch.Generator().manual_seed(72)
    return torch.randint(NOISE_FROM, NOISE_FROM + NOISE_OVER, (height, width), generator=source)


def _hills(height: int, width: int) -> Any:
    """Return rings of even slope around a point beside the middle, so that pasted tiles don't fit by chance."""
    import torch

    down = (torch.arange(height) - 0.46 * height)[:, None]
    across = (torch.arange(width) - 0.42 * width)[None]
    distance = (down**2 + across**2).sqrt()
    side = max(height, width)
    half = 0.6 * side if side < LARGE else max(0.6 * LARGE, side / 4)
    phase = (distance / min(half, float(distance.max()))) % 2
    return HILL_FROM + HILL_OVER * (phase - 1).abs()
