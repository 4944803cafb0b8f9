"""The loader's queueing rules in a few lines, to ask what another order of delivery would bring."""

from __future__ import annotations

from collections.abc import Sequence


def rate(times: Sequence[int], workers: int, prefetch: int, handling_ns: int, *, in_order: bool) -> float:
    """Return batches per second for batches that take `times` to make, with a consumer that never waits.

    In order, batch n goes to worker n mod W and only a delivery allows a further batch; in any order
    the next batch goes to the worker that has least to do.
    """
    if not times:
        return 0.0
    if workers == 0:
        return 1e9 / (sum(times) / len(times) + handling_ns)
    free = [0.0] * workers
    window = workers * prefetch
    clock = 0.0
    flying: list[float] = []
    for number, needed in enumerate(times):
        if number >= window:
            clock = max(clock, _next(flying, in_order=in_order)) + handling_ns
        worker = number % workers if in_order else min(range(workers), key=free.__getitem__)
        free[worker] = max(free[worker], clock) + needed
        flying.append(free[worker])
    while flying:
        clock = max(clock, _next(flying, in_order=in_order)) + handling_ns
    return len(times) / clock * 1e9


def _next(flying: list[float], *, in_order: bool) -> float:
    """Take the batch that is delivered next, and return when it was finished."""
    return flying.pop(0 if in_order else flying.index(min(flying)))
