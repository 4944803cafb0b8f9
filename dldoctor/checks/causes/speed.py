"""Why a loader is slow, decided once for all rules about speed: the more specific cause speaks."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.wording import figure
from dldoctor.evidence.profile import OrderEvidence, ProfileEvidence, ReopenedFile, StallEvidence
from dldoctor.evidence.trial import Trial
from dldoctor.finding import Level, SourceRef

CACHE_SHARE = 0.3
"""A cache may take so much of the memory that is free."""


def level(case: Case, highest: Level, *, sure: bool = True) -> Level:
    """Return the level of a finding about speed: a note, unless speed is the question and the figure is sure."""
    return highest if sure and case.speed_matters else Level.INFO


def millis(nanoseconds: float) -> str:
    """Return ``12.8 ms`` or ``1.3 s``."""
    value = nanoseconds / 1e6
    return f"{figure(value / 1e3)} s" if value >= 999.5 else f"{value:.3g} ms"


def where(path: str, line: int, name: str = "") -> SourceRef | None:
    """Return the place, where one is known."""
    return SourceRef(path, line or None, name or None) if path else None


def bursty(profile: ProfileEvidence, explained: float = 0.5, periods: int = 8) -> StallEvidence | None:
    """Return the stalls, where a period explains them."""
    stalls = profile.stalls
    if stalls is None or stalls.period is None:
        return None
    regular = stalls.explained >= explained and stalls.periods >= periods
    total = stalls.batches * stalls.usual_ns + stalls.lost_ns
    return stalls if regular and stalls.lost_ns >= 0.05 * total else None


def slow_samples(profile: ProfileEvidence, cost: float = 0.02) -> OrderEvidence | None:
    """Return the slow samples, where they cost enough and are no periodic stall."""
    order = profile.order
    if order is None or not order.slow_count or bursty(profile) is not None:
        return None
    return order if order_cost(order) >= cost else None


def order_cost(order: OrderEvidence) -> float:
    """Return the share of the rate that slow samples cost."""
    return max(0.0, 1.0 - order.rate / order.rate_without_slow) if order.rate_without_slow else 0.0


def reopened(profile: ProfileEvidence, opens: float = 1.0, share: float = 0.1) -> ReopenedFile | None:
    """Return the archive or database that is opened for each sample, where that costs enough."""
    files = profile.storage.reopened if profile.storage else ()
    return next((one for one in files if one.opens_per_sample >= 0.95 * opens and one.share >= share), None)


def oversized(profile: ProfileEvidence, times: float = 4.0, saving: float = 0.2) -> Trial | None:
    """Return the trial of a smaller decode, where it saves enough."""
    trial = profile.trial("draft")
    if trial is None or profile.decoded_pixels <= times:
        return None
    return trial if trial.sure and trial.saved_ns >= saving * trial.now_ns else None


def scattered(profile: ProfileEvidence, times: float = 3.0, least_ns: int = 200_000) -> Trial | None:
    """Return the trial of sequential reading, where reading at random costs far more."""
    trial = profile.trial("sequential")
    return trial if trial and trial.sure and trial.ratio > times and trial.now_ns >= least_ns else None


def gain(profile: ProfileEvidence, trial: Trial) -> float:
    """Return the share of the time between two batches that a trial takes off."""
    between = max(1, profile.gap_ns, profile.batch_ns // max(1, profile.num_workers))
    return min(1.0, max(0, trial.saved_ns) / between)


def handed_over(profile: ProfileEvidence, name: str, least: float = 0.2) -> Trial | None:
    """Return the trial of another form of the batch, where it gains enough for sure."""
    trial = profile.trial(name)
    return trial if trial and trial.sure and gain(profile, trial) >= least else None


def repeated(case: Case) -> Trial | None:
    """Return the trial of a cache, where items stay the same and would fit into memory."""
    profile, machine = case.evidence.profile, case.evidence.machine
    trial = profile.trial("cache") if profile else None
    if trial is None or case.intent.role in ("eval", "generate"):
        return None
    free = machine.memory_available_bytes if machine else 0
    return trial if trial.then_bytes <= CACHE_SHARE * free else None
