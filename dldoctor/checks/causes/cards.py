"""Readings of test cards: what is said where there are none."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.evidence.paired_transforms import PairedTransforms
from dldoctor.finding import Unjudged


def unread(case: Case, seen: Sequence[PairedTransforms], why: str) -> Unjudged | None:
    """Return what stands for a verdict where nothing was read: no time, or the reason `why`; null otherwise."""
    alignment = case.evidence.alignment
    if seen:
        return None
    if alignment is not None and alignment.unfinished:
        return insufficient("the time was spent before this was asked; `--time-budget` gives more")
    return not_applicable(why)
