"""Which settings span the surface, which are measured, and how long each run takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dldoctor.sweep.model import Setting

DEFAULT_SECONDS = 55.0
CHECK_SECONDS = 30.0
WORKERS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
PREFETCHES = (1, 2, 4)
WAITS = 0.3
"""Blocked share of a batch above which more workers than cores are worth a probe."""
LEAST_COUNTED = 12
"""Deliveries that a run counts at least, if three times its planned length allows."""


@dataclass(frozen=True)
class Plan:
    """How the time is spent."""

    budget_s: float
    profile_s: float
    probe_s: float
    verify_s: float


def plan(budget_s: float) -> Plan:
    """Return how long each kind of run takes, so that all of them fit the budget."""
    return Plan(budget_s, profile_s=0.07 * budget_s, probe_s=0.06 * budget_s, verify_s=0.08 * budget_s)


def surface(
    cores: float,
    current: Setting,
    *,
    blocked: float,
    workers: Sequence[int] = (),
    prefetches: Sequence[int] = (),
) -> tuple[Setting, ...]:
    """Return the settings to predict, the current one among them."""
    most = max(8, math.ceil((4 if blocked > WAITS else 2) * cores))
    some = sorted({*(workers or [w for w in WORKERS if w <= most]), current.workers})
    ahead = sorted({*(prefetches or PREFETCHES), *([current.prefetch] if current.workers else [])})
    return tuple(Setting(w, p) for w in some for p in (ahead if w else [0]))


def probes(cores: float, most_workers: int) -> tuple[Setting, ...]:
    """Return the settings to measure whatever the profile says: one worker, and one a core."""
    crowded = max(2, math.ceil(cores))
    found = [Setting(1, 2)] + ([Setting(crowded, 2)] if crowded <= most_workers else [])
    return tuple(one for one in found if one.workers <= most_workers)


def wide_probe(cores: float, most_workers: int, *, blocked: float, busy_share: float) -> Setting | None:
    """Return the setting far beyond the cores, where waiting is a large part and cores are left over."""
    if blocked <= WAITS or busy_share > 0.85:
        return None
    workers = min(most_workers, math.ceil(4 * cores))
    return Setting(workers, 2) if workers > max(2, math.ceil(cores)) else None


def enough(counted: int, flying: int, half: float | None, elapsed_s: float, planned_s: float) -> bool:
    """Tell whether a run may end: long enough since counting began, or its interval is narrow already."""
    if counted < LEAST_COUNTED:
        return elapsed_s >= 3 * planned_s and counted >= 4
    if elapsed_s >= planned_s:
        return True
    return half is not None and half <= 0.02 and counted >= max(60, 5 * flying) and elapsed_s >= planned_s / 2


def abba(rounds: int) -> tuple[str, ...]:
    """Return the order of paired runs: ``current pick pick current``, and so on."""
    return ("current", "pick", "pick", "current") * rounds
