"""Series of counters made by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from dldoctor.evidence.memory import FinePoint, MemoryPoint

MB = 2**20


def fine(
    grown: Callable[[int, int], float],
    *,
    turns: int = 3,
    batches: int = 40,
    rows: int = 8,
    lives: int = 1,
    noise: float = 20_000.0,
) -> list[FinePoint]:
    """Return points of a process that reads `batches` batches in each of `turns` turns.

    `grown` takes samples of this life and the turn, and returns bytes. The scatter is that of pages.
    """
    random, points = Random(7), []
    for life in range(lives):
        for batch in range(turns * batches):
            samples = (batch + 1) * rows
            value = 100 * MB + grown(samples, batch // batches) + random.gauss(0, noise)
            points.append(
                FinePoint(
                    batch=life * turns * batches + batch + 1, epoch=life if lives > 1 else batch // batches,
                    turn=batch // batches, life=life, samples=life * turns * batches * rows + samples,
                    grown_bytes=int(value), descriptors=20, threads=3,
                )
            )  # fmt: skip
    return points


def full(private: list[float], shared: list[float]) -> list[MemoryPoint]:
    """Return points with private and shared memory in MB."""
    return [
        MemoryPoint(
            i + 1, 0, 8 * (i + 1), float(i), int(p * MB), int((p + s) * MB), int(p * MB), int(s * MB), 20, 3
        )
        for i, (p, s) in enumerate(zip(private, shared, strict=True))
    ]


def saturating(most: float, tau: float) -> Callable[[int, int], float]:
    """Return growth that ends."""
    return lambda samples, _turn: most * (1 - math.exp(-samples / tau))
