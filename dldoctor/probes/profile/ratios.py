"""Pairs of measurements to a trial with its interval."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

from dldoctor.evidence.trial import Trial
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


def unpaired(
    name: str, now: Sequence[float], then: Sequence[float], *, per: str, floor: float = 1e3
) -> Trial | None:
    """Return the trial of two samples of times, compared by their medians."""
    if min(len(now), len(then)) < 8:
        return None
    picker = random.Random(0)  # noqa: S311 - a bootstrap is no secret
    ratios = sorted(
        max(floor, statistics.median(picker.choices(now, k=len(now))))
        / max(floor, statistics.median(picker.choices(then, k=len(then))))
        for _ in range(200)
    )
    usual_now, usual_then = statistics.median(now), statistics.median(then)
    return Trial(
        name=name,
        now_ns=round(usual_now),
        then_ns=round(usual_then),
        ratio=max(floor, usual_now) / max(floor, usual_then),
        low=ratios[10],
        high=ratios[189],
        pairs=min(len(now), len(then)),
        per=per,
    )
