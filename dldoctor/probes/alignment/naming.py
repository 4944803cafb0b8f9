"""Names the samples behind rows."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.finding import SampleId


def named(rows: Sequence[frozenset[int]], ids: Sequence[SampleId]) -> tuple[SampleId | None, ...]:
    """Return the sample of each row; None where none or several fit."""
    return tuple(ids[next(iter(one))] if len(one) == 1 else None for one in rows)
