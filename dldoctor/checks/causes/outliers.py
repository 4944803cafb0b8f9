"""The few values of a distribution that lie far above the rest."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.distribution import Distribution, Extreme


@dataclass(frozen=True)
class Outliers:
    """Values far above all others."""

    found: tuple[Extreme, ...]
    """The samples, the largest first; those that were kept of `count`."""
    count: int
    """How many there are, within the resolution of the summary."""
    reference: float
    """99% of the others are at most this."""


def far_above(spread: Distribution, times: float) -> Outliers | None:
    """Return the values above `times` the 99th percentile of the others, if there are any.

    Of a small set the 99th percentile is its largest value, so the others must be looked at
    without the candidates: first without the largest, then without the two largest, and so on.
    """
    for taken in range(len(spread.largest), 0, -1):
        reference = _p99_without(spread, taken)
        if reference is None or reference <= 0:
            continue
        found = tuple(one for one in spread.largest[:taken] if one.value > times * reference)
        if len(found) == taken:
            return Outliers(found, taken, reference)
    return None


def above_half(spread: Distribution) -> Outliers:
    """Return the values above half of the largest one."""
    limit = spread.max / 2
    kept = tuple(one for one in spread.largest if one.value > limit)
    return Outliers(kept, max(len(kept), round(share_above(spread, limit) * spread.count)), limit)


def share_above(spread: Distribution, limit: float) -> float:
    """Return the share of values above a limit; a bar that the limit cuts counts as a whole."""
    kept = sum(one.value > limit for one in spread.largest)
    if kept < len(spread.largest) or len(spread.largest) >= spread.count:
        return kept / max(1, spread.count)  # the smallest of the kept ones is below: exact
    if spread.histogram:
        return sum(one.count for one in spread.histogram if one.high > limit) / max(1, spread.count)
    quantiles = ((spread.p99, 0.01), (spread.p90, 0.1), (spread.p50, 0.5))
    return next((share for value, share in quantiles if value <= limit), 1.0)


def _p99_without(spread: Distribution, taken: int) -> float | None:
    """Return the 99th percentile (nearest rank) without the `taken` largest; None if not known."""
    others = spread.count - taken
    if others < 1:
        return None
    place = taken + others // 100  # from the top, from 0
    if place < len(spread.largest):
        return spread.largest[place].value
    # In a large set the few candidates lie above the percentile, and taking them away hardly moves it.
    return spread.p99 if taken <= spread.count // 100 else None
