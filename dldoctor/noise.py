"""Whether two measurements of one fault differ, or only by their noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dldoctor.evidence import Evidence
from dldoctor.finding import Finding

VALUES: Final = ("value", "share", "gain", "ratio", "rate", "bytes_per_1000_samples")
"""Facts that an interval is of, the likeliest first."""
BOUNDS: Final = (("low", "high"), ("gain_low", "gain_high"))


def differs(finding: Finding, before: Finding | None, evidence: Evidence) -> bool:
    """Whether the interval of a finding excludes the value of the other run.

    `before` is the same fault there, if it was found, and `evidence` what was measured there. What
    has no interval, or no value on the other side, differs: nothing shows that it is noise.
    """
    measured = interval(finding)
    if measured is None:
        return True
    name, low, high = measured
    other = _number(before.facts.get(name)) if before else _measured(finding, evidence)
    return other is None or not low <= other <= high


def interval(finding: Finding) -> tuple[str, float, float] | None:
    """Return the fact that was measured with an interval, and its bounds."""
    for low_name, high_name in BOUNDS:
        low, high = _number(finding.facts.get(low_name)), _number(finding.facts.get(high_name))
        if low is None or high is None:
            continue
        for name in VALUES:
            value = _number(finding.facts.get(name))
            if value is not None and low <= value <= high:
                return name, low, high
    return None


def _measured(finding: Finding, evidence: Evidence) -> float | None:
    """Return the value of the run in which the rule found nothing, where its evidence holds it."""
    read = _BY_RULE.get(finding.name)
    return read(finding, evidence) if read else None


def _budgeted(finding: Finding, evidence: Evidence) -> float | None:
    name, timing, sweep = finding.facts.get("budget"), evidence.timing, evidence.sweep
    if name == "sample-p50-ms":
        return timing.sample_p50.value / 1e6 if timing and timing.sample_p50 else None
    if name == "samples-per-s" and sweep is not None:
        rate, size = sweep.rates.loader, sweep.batch_size
        return rate * size if rate is not None and size is not None else None
    if name == "samples-per-s":
        return timing.samples_per_s.value if timing and timing.samples_per_s else None
    if name == "data-wait":
        return _waiting(finding, evidence)
    return _padding(finding, evidence) if name == "padding" else None


def _waiting(_finding: Finding, evidence: Evidence) -> float | None:
    return evidence.sweep.wait_share if evidence.sweep else None


def _padding(_finding: Finding, evidence: Evidence) -> float | None:
    padding = evidence.batches.padding if evidence.batches else None
    return padding.share if padding else None


def _staged(finding: Finding, evidence: Evidence) -> float | None:
    stages = evidence.profile.stages if evidence.profile else ()
    return next((one.share for one in stages if one.stage == finding.facts.get("stage")), None)


def _gained(finding: Finding, evidence: Evidence) -> float | None:
    """Return the gain of the same setting; that of another one says nothing."""
    gain, setting = evidence.sweep.gain if evidence.sweep else None, finding.facts.get("recommended")
    if gain is None or not isinstance(setting, dict):
        return None
    tried = (gain.num_workers, gain.prefetch_factor)
    return gain.value if tried == (setting.get("num_workers"), setting.get("prefetch_factor")) else None


_BY_RULE: Final[dict[str, Callable[[Finding, Evidence], float | None]]] = {
    "budget-missed": _budgeted,
    "consumer-starved": _waiting,
    "padding-waste": _padding,
    "slow-stage": _staged,
    "worker-count": _gained,
    "in-memory-rows": _gained,
}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
