"""Why a loader is slow, decided once for all rules about speed: the more specific cause speaks."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.evidence.profile import (
    OrderEvidence,
    ProfileEvidence,
    ReopenedFile,
    StageShare,
    StallEvidence,
    Trial,
)
from dldoctor.finding import Level, SourceRef

CACHE_SHARE = 0.3
"""A cache may take so much of the memory that is free."""

FULL = 1.1
"""Threads that want a core, as a multiple of the cores, above which the loader itself fills the machine."""


def level(case: Case, highest: Level, *, sure: bool = True) -> Level:
    """Return the level of a finding about speed: a note, unless speed is the question and the figure is sure."""
    return highest if sure and case.speed_matters else Level.INFO


def millis(nanoseconds: float) -> str:
    """Return ``12.8 ms`` or ``1.3 s``."""
    value = nanoseconds / 1e6
    return f"{value / 1e3:.3g} s" if value >= 1000 else f"{value:.3g} ms"


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


def crowded(case: Case, least: float = 0.2) -> tuple[float, float, float] | None:
    """Return threads per worker, cores and the share of waiting for one, where there are too few cores."""
    profile, machine = case.evidence.profile, case.evidence.machine
    if profile is None or machine is None or not profile.num_workers:
        return None
    workers = [one for one in profile.workers if one.worker >= 0]
    if not workers:
        return None
    threads = sum(one.threads for one in workers) / len(workers)
    waiting = sum(one.runqueue_share for one in workers) / len(workers)
    # Workers that would fit, and wait nevertheless, wait for what other programs take.
    too_many = threads * profile.num_workers > FULL * machine.cores
    return (threads, machine.cores, waiting) if too_many and waiting >= least else None


def slow_stage(case: Case, share: float, least_ns: int) -> StageShare | None:
    """Return the stage that dominates, unless a more specific rule explains it."""
    profile = case.evidence.profile
    if profile is None:
        return None
    for stage in profile.stages:
        batch_wide = stage.stage in ("collate", "serialise")
        per = stage.batch_ns - stage.runqueue_ns if batch_wide else stage.typical_ns
        if min(stage.share, stage.typical_share) <= share or stage.low <= share - 0.1 or per <= least_ns:
            continue
        return None if _explained(case, profile, stage) else stage
    return None


def _explained(case: Case, profile: ProfileEvidence, stage: StageShare) -> bool:
    if bursty(profile) is not None and stage.stage == profile.stalls.stage:  # type: ignore[union-attr]
        return True
    if stage.stage in ("collate", "serialise"):
        sent = (("stack", 0.2), ("tensors", 0.2), ("uint8", 0.1))
        if any(handed_over(profile, name, least) for name, least in sent):
            return True
    if stage.stage == "storage read" and reopened(profile) is not None:
        return True
    if stage.stage in ("decode", "transform") and oversized(profile) is not None:
        return True
    if stage.stage != "collate" and (scattered(profile) is not None or repeated(case) is not None):
        return True
    return crowded(case) is not None and stage.runqueue_ns + stage.blocked_ns > stage.cpu_ns
