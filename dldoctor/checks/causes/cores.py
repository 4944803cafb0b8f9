"""Whether the loader's own processes fill the cores, told once for all rules about speed."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.evidence.profile import ProfileEvidence

FULL = 1.1
"""Threads that want a core, as a multiple of the cores, above which the loader itself fills the machine."""


def wanted(profile: ProfileEvidence) -> float | None:
    """Return the cores that the processes which make batches would use if each had one when ready; None if unknown."""
    known = [one for one in profile.workers if one.cores > 0]
    if not known:
        return None
    mean = sum(one.cores / max(0.05, 1.0 - one.runqueue_share) for one in known) / len(known)
    return mean * max(1, profile.num_workers)


def room_for_more(case: Case) -> bool | None:
    """Whether a further worker like the others would find a free core; None if unknown."""
    profile, machine = case.evidence.profile, case.evidence.machine
    used = wanted(profile) if profile else None
    if profile is None or machine is None or used is None:
        return None
    return used + used / max(1, profile.num_workers) <= machine.cores


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
    # Workers that would fit, and wait nevertheless, wait for what other programs take. A thread beside the one
    # that works, now and then, is no second one.
    several = round(threads) > 1 or profile.num_workers > machine.cores
    too_many = several and threads * profile.num_workers > FULL * machine.cores
    return (threads, machine.cores, waiting) if too_many and waiting >= least else None
