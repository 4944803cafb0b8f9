"""Exceptions of the user's code, by kind, with the samples that raised them."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.outcome import Failure
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import id_text, ids_text, place_text
from dldoctor.render.numbers import counted
from dldoctor.report import Report


@dataclass(frozen=True)
class FailureRow:
    """One kind of exception at one place."""

    error: str
    """Class and text of the first."""
    count: int
    times: str
    """How often, at which stage, and where: ``3 times in collate, at data.py:72 (pad)``."""
    samples: str
    culprit: str
    """The one sample that keeps a batch from being collated."""


_STAGES = {"sample": "while reading a sample", "collate": "in collate", "loader": "in the loader"}


def failure_rows(report: Report) -> tuple[FailureRow, ...]:
    """Return the kinds of failure, the most frequent first."""
    ranked = sorted(report.evidence.failures, key=lambda failure: -failure.count)
    return tuple(_row(failure) for failure in ranked)


def _row(failure: Failure) -> FailureRow:
    place = place_text(failure.where)
    at = f"{'' if failure.raised_by_user else 'in a library called '}at {place}" if place else ""
    total = failure.count if failure.stage == "sample" else None
    ids = failure.samples or ((failure.id,) if failure.id is not None else ())
    listed = ids_text(ids, total)
    return FailureRow(
        error=clean(failure.error, 300),
        count=failure.count,
        times=f"{counted(failure.count, 'time')} {_STAGES[failure.stage]}{', ' if at else ''}{at}",
        samples=f"samples{' of the first batch' if failure.stage == 'collate' else ''} {listed}"
        if listed
        else "",
        culprit=_culprit(failure),
    )


def _culprit(failure: Failure) -> str:
    if failure.culprit is None:
        return ""
    field = f": its `{clean(failure.culprit_field, 80)}` differs" if failure.culprit_field else ""
    return f"the batch collates without sample {id_text(failure.culprit)}{field}"
