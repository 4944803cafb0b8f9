"""Which open things workers share, and whether they explain wrong data: for DL411, DL504 and DL505."""

from __future__ import annotations

from dldoctor.evidence import Evidence
from dldoctor.evidence.workers import Handle

STILL = ("raw descriptor", "open file")
"""What has a position, and is harmless where no read moves it."""


def shared(evidence: Evidence) -> tuple[Handle, ...]:
    """Return what is open before the workers start and is used by them as it is."""
    handles = evidence.handles.handles if evidence.handles else ()
    return tuple(one for one in handles if one.when == "before" and not one.reopened)


def suspects(evidence: Evidence) -> tuple[Handle, ...]:
    """Return the shared things whose position a read of one worker moves for the others.

    Of several files the few reads of the probe need not meet each: one that moves speaks for its kind.
    """
    found = shared(evidence)
    moving = {one.kind for one in found if one.moved}
    return tuple(one for one in found if one.kind not in STILL or one.kind in moving)


def explain_wrong_data(evidence: Evidence) -> bool:
    """Tell whether DL504 or DL411 has shown the harm that DL505 would only warn of."""
    measured = evidence.worker_data
    if pairs_came_apart(evidence) and suspects(evidence):
        return True
    return (
        measured is not None and measured.changed > 0 and not measured.by_order and bool(suspects(evidence))
    )


def fails_by_sharing(evidence: Evidence, kind: str) -> bool:
    """Tell whether items raise such an exception from workers only, because of what these share: DL504's."""
    measured = evidence.worker_data
    if measured is None or not explain_wrong_data(evidence):
        return False
    return any(one.error and one.error.partition(":")[0] == kind for one in measured.examples)


def pairs_came_apart(evidence: Evidence) -> bool:
    """Tell whether DL411 has shown the same harm as parts of different items in one."""
    workers = evidence.alignment.workers if evidence.alignment is not None else None
    return workers is not None and workers.apart > 0
