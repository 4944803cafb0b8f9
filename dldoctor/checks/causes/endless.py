"""Whether a loader that gave nothing was looping (`DL112`) or standing still (`DL509`)."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.evidence.outcome import Hang


def spinning(case: Case) -> Hang | None:
    """Return the hang of a stream that was at work without yielding one batch.

    A map-style item that never returns is not this: it has an index, which `DL509` names.
    """
    spec, batches = case.evidence.loader, case.evidence.batches
    if spec is None or spec.kind == "map" or case.evidence.outcome.deaths:
        return None
    if batches is not None and batches.delivered:
        return None
    return next((one for one in case.evidence.outcome.hangs if one.moving), None)
