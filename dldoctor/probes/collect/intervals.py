"""Intervals of a mean from blocks, because deliveries that follow one another are not independent."""

from __future__ import annotations

import math

BLOCKS = 10
_T90 = {2: 6.314, 3: 2.920, 4: 2.353, 5: 2.132, 6: 2.015, 7: 1.943, 8: 1.895, 9: 1.860, 10: 1.833}
"""Student's t for a two-sided 90% interval, by number of blocks."""


def blocks_of(count: int) -> list[slice]:
    """Cut `count` observations (4 or more) into at most `BLOCKS` runs of two or more."""
    blocks = min(BLOCKS, count // 2)
    size = count / blocks
    return [slice(round(i * size), round((i + 1) * size)) for i in range(blocks)]


def interval_of(values: list[float]) -> tuple[float, float, float]:
    """Return mean, low and high of the 90% interval of the mean of block values (2 to 10)."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = _T90[len(values)] * math.sqrt(variance / len(values))
    return mean, mean - half, mean + half
