"""What a series of counters means: a pure function of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from dldoctor.evidence.memory import FinePoint, Growth, MemoryPoint, MemoryVerdict, Slope
from dldoctor.probes.memory.fit import aicc, best, block_medians, pooled_slope, spread

MB = 2**20
LEAST_RISE = MB
"""Growth below this within the window is the allocator's own coming and going."""
FOOTPRINT_SHARE = 0.001
COPIED_LEAST = 4 * MB
COPIED_SHARE = 0.8
RELEASED_SHARE = 0.6
LEAST_POINTS = 8
WARM_UP_SHARE = 0.25
DECISIVE = 10.0
"""Difference of AICc that decides between two models."""
FADING = 0.4
"""Growth at less than this share of its first rate is fading away."""

ORDER: tuple[MemoryVerdict, ...] = (
    "leak", "consumer", "saw-tooth", "copy-on-write", "allocator", "not-enough-data", "plateau",
)  # fmt: skip
"""Verdicts, the one that is told for the whole run first."""


@dataclass(frozen=True)
class _Window:
    """Points of one life after its warm-up."""

    points: list[tuple[float, float]]
    first: list[tuple[float, float]]


def growth_of(
    fine: Sequence[FinePoint],
    full: Sequence[MemoryPoint],
    *,
    resets: bool = False,
    copies: bool = True,
    released: int = 0,
) -> Growth:
    """Return what the series of one process says.

    `resets`: it starts afresh in each epoch, so that growth ends with the epoch. `copies`: it
    shares the pages of a process that forked it. `released`: what the allocator gave back when asked.
    """
    lives = _lives(fine)
    windows = [_window(life) for life in lives]
    later = [window.points for window in windows if len(window.points) >= 3]
    rise = max((max(y for _, y in p) - p[0][1] for p in map(_points, lives) if p), default=0.0)
    copied = copied_bytes(full) if copies else 0
    if sum(map(len, later)) < LEAST_POINTS:
        return Growth("not-enough-data", rise_bytes=int(rise), copied_bytes=copied, more_samples=_more(fine))
    blocks = [block_medians(points) for points in later]
    slope = pooled_slope(blocks)
    if slope is None:
        return Growth("not-enough-data", rise_bytes=int(rise), copied_bytes=copied, more_samples=_more(fine))
    early = pooled_slope([block_medians(window.first) for window in windows if len(window.first) >= 3])
    longest = max(blocks, key=lambda points: points[-1][0] - points[0][0])
    whole = block_medians(_points(max(lives, key=len)), 48)
    kind = _kind(slope, early.value if early else None, longest, whole, released)
    verdict: MemoryVerdict = kind
    if kind == "leak" and resets:
        verdict = "saw-tooth"
    if kind == "plateau" and _is_copying(copied, full):
        verdict = "copy-on-write"
    return Growth(
        verdict=verdict,
        per_1000_samples=_thousand(slope),
        first_per_1000_samples=1000 * early.value if early else None,
        rise_bytes=int(max(0.0, rise)),
        copied_bytes=copied,
        released_bytes=released,
        model=cast('Literal["constant", "step", "saturating", "linear"] | None', best(whole)),
        more_samples=_more(fine) if kind == "not-enough-data" else None,
    )


def _kind(
    slope: Slope,
    early: float | None,
    points: list[tuple[float, float]],
    whole: list[tuple[float, float]],
    released: int,
) -> Literal["leak", "plateau", "allocator", "not-enough-data"]:
    span = points[-1][0] - points[0][0]
    level = max(y for _, y in points)
    noise = spread(points, slope.value)
    least = max(LEAST_RISE, FOOTPRINT_SHARE * level, 2 * noise)
    scores = aicc(points)
    if slope.low <= 0 or slope.value * span < least:
        # Flat, or too short a look to exclude what would matter over many epochs.
        rising = slope.low > 0 and slope.value * span > LEAST_RISE / 2
        bends = bool(scores) and min(scores["step"], scores["saturating"]) < scores["linear"]
        return "not-enough-data" if rising and not bends else "plateau"
    if scores and min(scores["step"], scores["saturating"]) < scores["linear"] - DECISIVE:
        return "plateau"
    if early is not None and early > 0 and slope.value < FADING * early and _levels_off(whole, points):
        return "plateau"
    if released > RELEASED_SHARE * slope.value * span:
        return "allocator"
    return "leak" if _goes_on(points, slope) else "not-enough-data"


def _levels_off(whole: list[tuple[float, float]], points: list[tuple[float, float]]) -> bool:
    """Whether the series as a whole bends, and goes on bending in what is seen last."""
    scores = aicc(whole)
    if not scores or scores["saturating"] > scores["linear"] - DECISIVE:
        return False
    half = len(points) // 2
    first, last = pooled_slope([points[:half]]), pooled_slope([points[half:]])
    return first is None or last is None or last.value < 0.5 * first.value


def _goes_on(points: list[tuple[float, float]], slope: Slope) -> bool:
    """Whether each third of the window grew: one or two jumps are no slope."""
    third = max(2, len(points) // 3)
    parts = [points[:third], points[third : 2 * third], points[2 * third :]]
    rises = [part[-1][1] - part[0][1] for part in parts if len(part) > 1]
    least = 0.2 * slope.value * (points[-1][0] - points[0][0]) / 3
    return all(rise > least for rise in rises)


def copied_bytes(full: Sequence[MemoryPoint]) -> int:
    """Return how much memory became private while shared memory fell by as much, in the worst life."""
    copied = 0
    first: dict[int, MemoryPoint] = {}
    for point in full:
        start = first.setdefault(point.life, point)
        copied = max(copied, min(point.uss_bytes - start.uss_bytes, start.shared_bytes - point.shared_bytes))
    return copied


def _is_copying(copied: int, full: Sequence[MemoryPoint]) -> bool:
    if copied < COPIED_LEAST:
        return False
    starts = {point.life: point.uss_bytes for point in reversed(full)}
    private = max(point.uss_bytes - starts[point.life] for point in full)
    return copied >= COPIED_SHARE * private


def _lives(fine: Sequence[FinePoint]) -> list[list[FinePoint]]:
    by_life: dict[int, list[FinePoint]] = {}
    for point in fine:
        by_life.setdefault(point.life, []).append(point)
    return list(by_life.values())


def _points(life: Sequence[FinePoint]) -> list[tuple[float, float]]:
    return [(float(point.samples), float(point.grown_bytes)) for point in life]


def _window(life: Sequence[FinePoint]) -> _Window:
    """Split a life at the point from which on it read nothing new; without one, at a quarter."""
    first = [point for point in life if point.turn == 0]
    later = [point for point in life if point.turn > 0]
    if len(later) < 3:
        span = life[-1].samples - life[0].samples
        edge = life[0].samples + WARM_UP_SHARE * span
        first = [point for point in life if point.samples <= edge]
        later = [point for point in life if point.samples > edge]
    return _Window(_points(later), _points(first))


def _more(fine: Sequence[FinePoint]) -> int:
    return max(64, 2 * max((point.samples for point in fine), default=0))


def _thousand(slope: Slope) -> Slope:
    return Slope(1000 * slope.value, 1000 * slope.low, 1000 * slope.high)


def overall(verdicts: Sequence[MemoryVerdict]) -> MemoryVerdict:
    """Return the verdict for the whole run: the worst of its processes'."""
    return min(verdicts, key=ORDER.index, default="not-enough-data")
