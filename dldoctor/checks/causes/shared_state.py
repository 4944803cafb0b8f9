"""Which open things workers share, and whether they explain wrong data: for DL411, DL504 and DL505."""

from __future__ import annotations

from dldoctor.evidence import Evidence
from dldoctor.evidence.workers import Handle

RAW = "raw descriptor"


def shared(evidence: Evidence) -> tuple[Handle, ...]:
    """Return what is open before the workers start and is used by them as it is."""
    handles = evidence.handles.handles if evidence.handles else ()
    return tuple(one for one in handles if one.when == "before" and not one.reopened)


def suspects(evidence: Evidence) -> tuple[Handle, ...]:
    """Return the shared things whose position a read of one worker moves for the others."""
    return tuple(one for one in shared(evidence) if one.kind != RAW or one.moved)


def explain_wrong_data(evidence: Evidence) -> bool:
    """Tell whether DL504 or DL411 has shown the harm that DL505 would only warn of."""
    measured = evidence.worker_data
    if pairs_came_apart(evidence) and suspects(evidence):
        return True
    return (
        measured is not None and measured.changed > 0 and not measured.by_order and bool(suspects(evidence))
    )


def pairs_came_apart(evidence: Evidence) -> bool:
    """Tell whether DL411 has shown the same harm as parts of different items in one."""
    workers = evidence.alignment.workers if evidence.alignment is not None else None
    return workers is not None and workers.apart > 0
