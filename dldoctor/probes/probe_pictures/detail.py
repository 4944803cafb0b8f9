"""How much of a picture of noise is left after it was scaled down, beside what antialiased resizing leaves.

What an antialiased resize keeps is a blend of neighbouring pixels, whatever its filter; sharpening, blurring
and a shift afterwards are small filters on top of that. So the output is explained, as well as possible, by a
small filter on an antialiased picture. What cannot be explained is detail too fine for the output's pixels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dldoctor.probes.probe_pictures.drawings import SLOPE_OVER, STEPS, noise

SHRUNK = 1.5
FILTER = 2
"""Pixels to each side of the filter that stands for sharpening, blur and shifts."""
SMALLEST = 16
LARGEST = 128
"""Pixels of the output's middle, a side, that are looked at."""
STRAIGHT = 1.5
"""Mean difference in levels between a slope and a straight line, above which the picture was bent."""
CLEAR = 6.0
"""How far the best place of the output in the source must stand out, in standard deviations."""
MARGIN = 3
NEAR = 3
"""Pixels around the best place that are like it."""
PHASES = ((0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (0.5, 0.5))
"""Parts of a pixel by which the output may lie beside the whole picture that it is looked for in."""
QUIET = 6.0
MOSTLY = 0.6
"""Share of the noise that nothing explains, below which it is no more than `QUIET`."""
LOW, HIGH = (0.1, 0.15, 0.2), (0.8, 0.85, 0.9)
"""Quantiles between which a step of grey is level."""
EVEN = 0.04
Sides = tuple[float, float]
"""Of the rows and of the columns."""


class Detail(NamedTuple):
    """One reading of noise."""

    factor: float
    levels: float
    """Mean difference from what antialiased resizing gives, in levels of 0 to 255."""


def detail_of(steps: Any, across: Any, down: Any, noisy: Any, size: tuple[int, int]) -> Detail | None:
    """Compare one plane of the output with what antialiased resizing gives.

    Levels are told by two steps of grey, so that neither normalisation nor a change of brightness or contrast
    matters. None where the picture was not scaled down evenly, or was bent, or was put together from several.
    """
    height, width = size
    shown = _inside((steps, across, down, noisy))
    if shown is None:
        return None
    steps, across, down, noisy = shown
    gain = _gain(steps)
    if gain is None:
        return None
    across, down, noisy = (one / gain for one in (across, down, noisy))
    if _steep(across, 0) > _steep(across, 1):  # a quarter turn
        across, down, noisy = across.T, down.T, noisy.T
    columns, rows = _step(across, width), _step(down.T, height)
    if columns is None or rows is None:
        return None
    factor = (abs(columns) * abs(rows)) ** 0.5
    if min(abs(columns), abs(rows)) < SHRUNK:
        return Detail(factor, 0.0)
    noisy = noisy.flip(1) if columns < 0 else noisy
    levels = _unexplained(_middle(noisy.flip(0) if rows < 0 else noisy), (abs(rows), abs(columns)), size)
    return None if levels is None else Detail(factor, levels)


def _inside(shown: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Cut off borders that are the same whatever the picture, as padding is; None where too little is left."""
    if len({one.shape for one in shown}) > 1:
        return None
    differs = (shown[-1] != shown[1]).double()
    spans = []
    for axis in (1, 0):
        at = (differs.mean(axis) > differs.mean(axis).max() / 2).nonzero()
        spans.append(slice(int(at[0]), int(at[-1]) + 1) if len(at) else slice(0))
    found = tuple(one[spans[0], spans[1]] for one in shown)
    return found if min(found[0].shape) >= SMALLEST else None


def _gain(steps: Any) -> float | None:
    """Return the output's levels for each of the source; None where two steps of grey don't come out as two."""
    flat = steps.flatten()[:: max(1, steps.numel() // 65536)]
    low, high = ([float(flat.quantile(one)) for one in part] for part in (LOW, HIGH))
    gain = (high[1] - low[1]) / (STEPS[1] - STEPS[0])
    uneven = max(low[2] - low[0], high[2] - high[0])
    return None if gain == 0 or uneven > EVEN * (high[1] - low[1]) else gain


def _steep(plane: Any, axis: int) -> float:
    return float(plane.diff(dim=axis).mean().abs())


def _step(plane: Any, side: int) -> float | None:
    """Return the source pixels from one pixel of the output to the next; None where a slope is bent, cut or leans."""
    import torch

    middle = plane.double().median(0).values
    if float((plane - middle).abs().mean()) > STRAIGHT:
        return None
    at = torch.arange(len(middle), dtype=torch.float64)
    centred = at - at.mean()
    rise = float((centred * middle).sum() / (centred**2).sum())
    if rise == 0 or float((middle - middle.mean() - rise * centred).abs().mean()) > STRAIGHT:
        return None
    return rise / SLOPE_OVER * side


def _middle(plane: Any) -> Any:
    height, width = (min(side, LARGEST) for side in plane.shape)
    top, left = (plane.shape[0] - height) // 2, (plane.shape[1] - width) // 2
    return plane[top : top + height, left : left + width].double()


def _unexplained(noisy: Any, steps: Sides, size: tuple[int, int]) -> float | None:
    """Return the mean difference from the best that antialiased resizing with some filter gives."""
    import torch

    spread = float((noisy - noisy.mean()).abs().mean())
    if spread < QUIET:
        return spread  # so little is left that nothing is to be explained
    source = noise(*size).float()
    source -= source.mean()
    firsts = _place(noisy, source, steps)
    if firsts is None:
        return None
    firsts = _each(lambda first, step: first - FILTER * step, firsts, steps)
    counts = _each(lambda side: side + 2 * FILTER, noisy.shape)
    height, width = noisy.shape
    found = []
    for wide in (1.0, 2.0):
        smooth = _resized(source, firsts, steps, counts, wide)
        parts = [
            smooth[y : y + height, x : x + width].flatten()
            for y in range(2 * FILTER + 1)
            for x in range(2 * FILTER + 1)
        ]
        table = torch.stack([*parts, torch.ones_like(parts[0])], 1)
        wanted = noisy.flatten()
        # The normal equations: of so many rows and so few columns the faster way.
        solved = torch.linalg.solve(
            table.T @ table + 1e-6 * torch.eye(table.shape[1]).double(), table.T @ wanted
        )
        found.append(float((wanted - table @ solved).abs().mean()))
    # Where a transform divides by the picture's own spread, levels are not those of the source.
    return min(found) if min(found) > MOSTLY * spread else min(*found, QUIET)


def _place(noisy: Any, source: Any, steps: Sides) -> Sides | None:
    """Return where in the source the first pixel of the output lies; None where no place stands out."""
    # A factor is known to one part in two hundred: there is room for an output that is a little larger.
    counts = _each(lambda side, step: int(side / step) + MARGIN, source.shape, steps)
    if any(count < side for count, side in zip(counts, noisy.shape, strict=True)):
        return None
    middle = _each(lambda side, step, count: (side - step * (count - 1)) / 2, source.shape, steps, counts)
    best, found = CLEAR, None
    for phase in PHASES:
        firsts = _each(lambda first, step, part: first + step * part, middle, steps, phase)
        clear, place = _peak(noisy, _resized(source, firsts, steps, counts, 2.0))
        if clear > best:
            best, found = clear, _each(lambda first, step, at: first + step * at, firsts, steps, place)
    return found


def _peak(noisy: Any, whole: Any) -> tuple[float, Sides]:
    """Return how far the best place in the whole picture stands out, and that place in pixels of the output."""
    import torch

    shape = tuple(whole.shape)
    both = [torch.fft.rfft2(one - one.mean(), s=shape) for one in (whole, noisy)]
    likeness = torch.fft.irfft2(both[0] * both[1].conj(), s=shape)
    row, column = divmod(int(likeness.argmax()), shape[1])
    top = row + _between(likeness[:, column], row)
    left = column + _between(likeness[row], column)
    # A place beyond the end is one before the beginning.
    place = _each(lambda at, side: at - side if at > side - MARGIN else at, (top, left), shape)
    high = float(likeness.max())
    rest = likeness.roll((NEAR - row, NEAR - column), (0, 1))
    rest[: 2 * NEAR + 1, : 2 * NEAR + 1] = rest.mean()
    return (high - float(rest.mean())) / max(float(rest.std()), 1e-12), place


def _each(function: Any, *sides: Any) -> Any:
    """Call a function for the rows, then for the columns."""
    return tuple(function(*one) for one in zip(*sides, strict=True))


def _between(line: Any, at: int) -> float:
    """Return how far beside a whole place the peak lies, by a parabola through three values."""
    before, here, after = (float(line[(at + one) % len(line)]) for one in (-1, 0, 1))
    bend = before - 2 * here + after
    return 0.0 if bend == 0 else max(-0.5, min(0.5, (before - after) / (2 * bend)))


def _resized(source: Any, firsts: Any, steps: Any, counts: Any, wide: float) -> Any:
    """Resize with antialiasing: a box of one step, or a triangle of two."""
    down, over = _each(
        lambda first, step, count, side: _weights(first, step, count, side, wide),
        firsts,
        steps,
        counts,
        source.shape,
    )
    return (down @ source @ over.T).double()


def _weights(first: float, step: float, count: int, side: int, wide: float) -> Any:
    """Return what each pixel of a side of the source adds to each of the output."""
    import torch

    centres = first + step * torch.arange(count, dtype=torch.float32)
    distance = (torch.arange(side) + 0.5 - centres[:, None]).abs()
    weights = (1 - distance / step).clamp(min=0) if wide > 1 else ((step / 2 + 0.5) - distance).clamp(0, 1)
    # Not by their sum: beyond the edge of the source few weights are left, and would count too much.
    return weights / step
