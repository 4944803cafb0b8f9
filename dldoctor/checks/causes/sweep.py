"""What a sweep says about the current setting, told once for all rules that judge it."""

from __future__ import annotations

from typing import Any, Literal

from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.sweep import SweepEvidence, SweepPoint

Cause = Literal["worker-count", "in-memory", "none"]

_BOUND = {
    "workers": "too few workers",
    "cores": "the cores",
    "hand-over": "the main process, which receives each batch",
    "order": "late batches that hold up the others",
    "consumer": "the consumer",
}


def better_setting(sweep: SweepEvidence) -> Cause:
    """Return why another setting is better beyond the noise, if one is.

    Where the data lies in memory, handing batches over costs more than making them, and the better
    setting has fewer workers.
    """
    if sweep.verdict != "change" or sweep.gain is None or sweep.current is None:
        return "none"
    fewer = sweep.gain.num_workers < sweep.current["num_workers"]
    return "in-memory" if fewer and sweep.in_memory else "worker-count"


def setting_text(arguments: dict[str, Any] | None) -> str:
    """Return loader arguments as one would paste them."""
    return ", ".join(f"{name}={value}" for name, value in (arguments or {}).items())


def now(sweep: SweepEvidence) -> SweepPoint | None:
    """Return the point of the current setting."""
    current = sweep.current or {}
    return sweep.point(current.get("num_workers", 0), current.get("prefetch_factor"))


def tried(sweep: SweepEvidence) -> SweepPoint | None:
    """Return the point that was run against the current one."""
    return sweep.point(sweep.gain.num_workers, sweep.gain.prefetch_factor) if sweep.gain else None


def bound_text(sweep: SweepEvidence) -> str:
    """Return what bounds the rate under the current setting."""
    point = now(sweep)
    blocked = sweep.batch_blocked_ns
    whole = blocked + sweep.batch_cpu_ns
    if point is None or not point.bottleneck:
        return ""
    if point.bottleneck == "workers" and whole and blocked > 0.5 * whole:
        return f"{percent(blocked / whole)} of a batch's time is waiting for storage, network or a lock"
    return f"the rate is bound by {_BOUND[point.bottleneck]}"


def rate_text(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Return ``12.3 batches/s (11.9 to 12.8)``."""
    if value is None:
        return "unknown"
    spread = f" ({_three(low)} to {_three(high)})" if low is not None and high is not None else ""
    return f"{_three(value)} batches/s{spread}"


def workers_text(arguments: dict[str, Any] | None) -> str:
    """Return ``4 workers`` or ``no workers``, with the prefetch factor."""
    number = (arguments or {}).get("num_workers", 0)
    ahead = (arguments or {}).get("prefetch_factor")
    return f"{counted(number, 'worker')} with prefetch {ahead}" if number else "no workers"


def gain_text(value: float, low: float, high: float) -> str:
    """Return ``+53% (+41% to +66%)``."""
    return f"{value:+.0%} ({low:+.0%} to {high:+.0%})"


def _three(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
