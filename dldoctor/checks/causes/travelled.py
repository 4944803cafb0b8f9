"""How workers lag behind what the main process changes: for DL506 and DL507."""

from __future__ import annotations

from dldoctor.checks.base import insufficient, not_applicable
from dldoctor.evidence.workers import CopiesEvidence, Travel
from dldoctor.finding import Unjudged


def unjudged(measured: CopiesEvidence) -> Unjudged | None:
    """Return why nothing can be said, or None."""
    if measured.failed:
        return insufficient(f"the epochs could not be run: {measured.failed}")
    if not measured.travels:
        return not_applicable("the main process changes no plain attribute of the dataset between epochs")
    return None


def stale(measured: CopiesEvidence) -> tuple[Travel, ...]:
    """Return what stays as it was in the workers while the main process goes on."""
    return tuple(
        one for one in measured.travels
        if len(set(one.workers)) == 1 and one.workers[-1] != one.parent[-1]
    )  # fmt: skip


def one_behind(measured: CopiesEvidence) -> tuple[Travel, ...]:
    """Return what workers see an epoch late."""
    return tuple(
        one for one in measured.travels
        if len(set(one.workers)) > 1
        and one.workers[1:] == one.parent[:-1]
        and one.workers[1:] != one.parent[1:]
    )  # fmt: skip


def row(values: tuple[str, ...]) -> str:
    """Return ``0, 1, 2``."""
    return ", ".join(values)
