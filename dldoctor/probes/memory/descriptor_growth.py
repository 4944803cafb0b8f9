"""How the open descriptors of a process grow: with samples or with epochs, and of which kind they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, cast

from dldoctor.evidence.memory import DescriptorGrowth, FinePoint, Slope
from dldoctor.probes.memory.fit import block_medians, pooled_slope
from dldoctor.probes.memory.points import Line

LEAST_POINTS = 3
"""Points of one life, where there are so many."""


def descriptor_slope(fine: Sequence[FinePoint], *, later: bool, least: int = LEAST_POINTS) -> Slope | None:
    """Return descriptors gained per 1,000 samples, read for the first time or again, from lives of `least` points."""
    lives: dict[int, list[FinePoint]] = defaultdict(list)
    for point in fine:
        lives[point.life].append(point)
    parts = []
    for life in lives.values():
        again = [point for point in life if point.turn > 0]
        if len(again) < 3:
            again = life[len(life) // 4 :]
        part = again if later else [point for point in life if point not in again]
        parts.append(block_medians([(float(p.samples), float(p.descriptors)) for p in part]))
    slope = pooled_slope([part for part in parts if len(part) >= least])
    return Slope(1000 * slope.value, 1000 * slope.low, 1000 * slope.high) if slope else None


def slope_of_short_lives(points: Sequence[tuple[FinePoint, Line]]) -> Slope | None:
    """Return the same where a worker reads so few batches in its life that its prefetching never settles.

    Shared memory, which comes and goes with the batches under way, is left out.
    """
    counted = [
        replace(point, descriptors=sum(n for kind, _, n in line["open"] if kind != "shared-memory"))
        for point, line in points if "open" in line
    ]  # fmt: skip
    return descriptor_slope(counted, later=True, least=2)


def descriptor_kinds(lives: list[list[Line]]) -> tuple[DescriptorGrowth, ...]:
    """Return the kinds of descriptors of which the process had more at the end of a life than at its start."""
    best: dict[tuple[str, str], tuple[int, int]] = {}
    for lines in lives:
        looks = [{(kind, path): n for kind, path, n in line["open"]} for line in lines if "open" in line]
        if not looks:
            continue
        for key, last in looks[-1].items():
            first = looks[0].get(key, 0)
            before = best.get(key, (0, 0))
            if last > first and last - first > before[1] - before[0]:
                best[key] = (first, last)
    ordered = sorted(best.items(), key=lambda item: item[1][0] - item[1][1])
    return tuple(
        DescriptorGrowth(
            cast('Literal["file", "socket", "pipe", "shared-memory", "other"]', kind), path, a, b
        )
        for (kind, path), (a, b) in ordered[:8]
    )


def per_epoch(fine: Sequence[FinePoint]) -> float | None:
    """Return the descriptors gained from one epoch to the next, those left out that its samples gained.

    Null where a process saw one epoch, or never two points of one.
    """
    within, samples, between, apart, epochs = 0, 0, 0, 0, 0
    for before, after in pairwise(fine):
        gained, read = after.descriptors - before.descriptors, after.samples - before.samples
        if after.life != before.life:
            continue
        if after.epoch == before.epoch:
            within, samples = within + gained, samples + read
        else:
            between, apart, epochs = between + gained, apart + read, epochs + 1
    return (between - within / samples * apart) / epochs if samples and epochs else None
