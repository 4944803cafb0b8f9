"""Small statistics in plain Python: robust slopes with intervals, and four models of a series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from dldoctor.evidence.memory import Slope

Points = Sequence[tuple[float, float]]
Z95 = 1.96
BLOCKS = 24


def block_medians(points: Points, blocks: int = BLOCKS) -> list[tuple[float, float]]:
    """Return medians of blocks of neighbours: what two boundaries share no longer counts twice."""
    if len(points) <= blocks:
        return list(points)
    edges = [round(i * len(points) / blocks) for i in range(blocks + 1)]
    parts = [points[a:b] for a, b in pairwise(edges) if b > a]
    return [(median(x for x, _ in part), median(y for _, y in part)) for part in parts]


def pooled_slope(series: Sequence[Points]) -> Slope | None:
    """Return the Theil-Sen slope over several series, whose levels may differ, with its 95% interval.

    The interval is Sen's: ranks of the pairwise slopes, with the variance of Kendall's statistic.
    """
    slopes: list[float] = []
    variance = 0.0
    for points in series:
        n = len(points)
        variance += n * (n - 1) * (2 * n + 5) / 18
        for i, (x0, y0) in enumerate(points):
            slopes += [(y1 - y0) / (x1 - x0) for x1, y1 in points[i + 1 :] if x1 > x0]
    if len(slopes) < 3:
        return None
    slopes.sort()
    half = Z95 * math.sqrt(variance) / 2
    middle = (len(slopes) - 1) / 2
    low = slopes[max(0, math.floor(middle - half))]
    high = slopes[min(len(slopes) - 1, math.ceil(middle + half))]
    return Slope(median(slopes), low, high)


def spread(points: Points, slope: float) -> float:
    """Return the typical distance of a point from the line of that slope."""
    rests = [y - slope * x for x, y in points]
    if not rests:
        return 0.0
    middle = median(rests)
    return 1.4826 * median(abs(rest - middle) for rest in rests)


def aicc(points: Points) -> dict[str, float]:
    """Return model name to AICc, the lower the better: constant, step, saturating, linear."""
    if len(points) < 6:
        return {}
    ys = [y for _, y in points]
    # A series without any scatter would make every model perfect; pages are never known better.
    floor = len(ys) * max(4096.0, 1e-4 * max(map(abs, ys), default=0.0)) ** 2
    rests = {
        "constant": (_constant(ys), 2),
        "step": (min(_constant(ys[:k]) + _constant(ys[k:]) for k in range(1, len(ys))), 4),
        "saturating": (_saturating(points), 4),
        "linear": (_linear([x for x, _ in points], ys), 3),
    }
    return {name: _aicc(rest + floor, len(ys), k) for name, (rest, k) in rests.items()}


def best(points: Points) -> str | None:
    """Return the name of the model with the lowest AICc, or None where points are too few."""
    scores = aicc(points)
    return min(scores, key=scores.__getitem__) if scores else None


def _aicc(rest: float, n: int, k: int) -> float:
    correction = 2 * k * (k + 1) / max(1, n - k - 1)
    return n * math.log(rest / n) + 2 * k + correction


def _constant(ys: Sequence[float]) -> float:
    mean = sum(ys) / len(ys)
    return sum((y - mean) ** 2 for y in ys)


def _linear(xs: Sequence[float], ys: Sequence[float]) -> float:
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    square = sum((x - mx) ** 2 for x in xs)
    if square == 0:
        return _constant(ys)
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / square
    return sum((y - my - slope * (x - mx)) ** 2 for x, y in zip(xs, ys, strict=True))


def _saturating(points: Points) -> float:
    """Return the rest of ``a - b exp(-x/t)``, with t up to half of the range: beyond, it is a line."""
    first, last = points[0][0], points[-1][0]
    span = last - first
    if span <= 0:
        return _constant([y for _, y in points])
    ys = [y for _, y in points]
    return min(
        _linear([-math.exp(-(x - first) / (part * span)) for x, _ in points], ys)
        for part in (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    )
