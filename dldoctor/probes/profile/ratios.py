"""Pairs of measurements to a trial with its interval."""

from __future__ import annotations

import math
import statistics

from dldoctor.evidence.profile import Trial
from dldoctor.probes.collect.intervals import interval_of


def trial_of(
    name: str,
    pairs: list[tuple[float, float]],
    *,
    per: str = "batch",
    now_bytes: int = 0,
    then_bytes: int = 0,
    detail: str = "",
) -> Trial | None:
    """Return the trial of pairs ``(now, then)`` in nanoseconds; None below 3 pairs."""
    good = [(now, then) for now, then in pairs if now > 0 and then > 0][:10]
    if len(good) < 3:
        return None
    mean, low, high = interval_of([math.log(now / then) for now, then in good])
    return Trial(
        name=name,
        now_ns=round(statistics.median(now for now, _ in good)),
        then_ns=round(statistics.median(then for _, then in good)),
        ratio=math.exp(mean),
        low=math.exp(low),
        high=math.exp(min(high, 50.0)),
        pairs=len(good),
        per=per,
        now_bytes=now_bytes,
        then_bytes=then_bytes,
        detail=detail,
    )
