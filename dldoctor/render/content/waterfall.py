"""The waterfall: statements that make up a batch's time, as bars one after the other, and the phases of the hand-over."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.timing import StageTime
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import duration, share
from dldoctor.report import Report

LEAST_SHARE = 0.002
"""What is below this share of the time is not shown."""


@dataclass(frozen=True)
class StageRow:
    """One bar of the waterfall."""

    stage: str
    place: str
    call: str
    time: str
    share: str
    fraction: float
    """Of a batch's time in its process, 0 to 1."""
    offset: float
    """Where the bar begins: the rows lie one after the other."""
    cpu: float
    runqueue: float
    blocked: float
    """What the bar is made of; they sum to 1."""


def stage_rows(report: Report) -> tuple[StageRow, ...]:
    """Return the statements that make up a batch's time, in the order in which it meets them."""
    profile, timing = report.evidence.profile, report.evidence.timing
    if profile is None or timing is None or not timing.stages:
        return ()
    each = profile.samples / max(1, profile.batches)
    own = [one for one in timing.stages if one.stage not in ("queue", "deserialise", "pin")]
    total = sum(_of_batch(one, each) for one in own) or 1.0
    rows, offset = [], 0.0
    for one in own:
        fraction = _of_batch(one, each) / total
        if fraction >= LEAST_SHARE:
            rows.append(_row(one, fraction, offset))
            offset += fraction
    return tuple(rows)


def hand_over_rows(report: Report) -> tuple[tuple[str, str], ...]:
    """Return the phases that lie between worker and consumer, with their mean time."""
    timing = report.evidence.timing
    phases = ("queue", "deserialise", "pin")
    rows = [one for one in (timing.stages if timing else ()) if one.stage in phases]
    return tuple((one.name, f"{duration(one.own_ns)} a batch") for one in rows)


def _of_batch(one: StageTime, each: float) -> float:
    return one.own_ns * (each if one.per == "sample" else 1.0)


def _row(one: StageTime, fraction: float, offset: float) -> StageRow:
    total = max(1, one.own_ns)
    place = f"{clean(one.path, 80)}:{one.line}" if one.path else ""
    return StageRow(
        stage=one.stage,
        place=place,
        call=clean(one.call or one.name, 80),
        time=duration(one.own_ns) + ("" if one.per == "sample" else " a batch"),
        share=share(round(fraction, 3)),
        fraction=fraction,
        offset=offset,
        cpu=min(1.0, one.cpu_ns / total),
        runqueue=min(1.0, one.runqueue_ns / total),
        blocked=min(1.0, one.blocked_ns / total),
    )
