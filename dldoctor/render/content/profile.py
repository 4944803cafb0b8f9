"""Where the time goes, as rows: the consumer's waits, samples, workers, remedies; `waterfall` has the stages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.profile import BatchTimes, ProfileEvidence
from dldoctor.evidence.trial import Trial
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import id_text
from dldoctor.render.content.waterfall import LEAST_SHARE
from dldoctor.render.numbers import counted, duration, number, share, size
from dldoctor.report import Report


def found(report: Report) -> ProfileEvidence | None:
    """Return what was profiled."""
    return report.evidence.profile


def title(report: Report) -> str:
    """Return what the waterfall is of."""
    profile = report.evidence.profile
    if profile is None:
        return ""
    where = "its worker" if profile.num_workers else "the main process"
    return f"{duration(profile.batch_ns)} for a batch in {where}, over {counted(profile.batches, 'batch', 'batches')}"


def wait_rows(report: Report) -> tuple[tuple[str, str, float, str], ...]:
    """Return what the awaited batch was doing: name, share, fraction, and the rate if that were free."""
    profile = report.evidence.profile
    parts = profile.attribution.parts if profile and profile.attribution else ()
    free = {one.stage: f"{one.times:.2g}x the batches if free" for one in profile.freed} if profile else {}
    return tuple(
        (one.what, share(one.share), one.share, free.get(one.what, ""))
        for one in parts
        if one.share >= LEAST_SHARE
    )


def wait_title(report: Report) -> str:
    """Return what the waits are shares of."""
    profile = report.evidence.profile
    if profile is None or profile.attribution is None:
        return ""
    found_ = profile.attribution
    late = found_.ordering_ns / max(1, found_.blocked_ns)
    order = f"; in {share(late)} of it a later batch was ready" if late >= 0.01 else ""
    return f"the consumer waited {duration(found_.blocked_ns)} of {duration(found_.elapsed_ns)}{order}"


def slow_rows(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """Return the slowest samples: id, time, stage, place."""
    timing = report.evidence.timing
    rows = timing.slowest if timing and report.evidence.profile else ()
    return tuple(
        (
            id_text(one.id),
            duration(one.total_ns),
            clean(one.stage, 40),
            f"{clean(one.path, 80)}:{one.line}" if one.path else "",
        )
        for one in rows[:8]
    )


def worker_rows(report: Report) -> tuple[tuple[str, str, str, str, str], ...]:
    """Return the processes: name, batches, time per sample, share busy, share waiting for a core."""
    profile = report.evidence.profile
    return tuple(
        (
            f"worker {one.worker}" if one.worker >= 0 else "main process",
            f"{one.batches:,}",
            duration(one.sample_ns),
            share(round(one.busy_share, 3)),
            share(round(one.runqueue_share, 3)),
        )
        for one in (profile.workers if profile else ())
    )


def lines(report: Report) -> tuple[str, ...]:
    """Return sentences about start, storage, order and what could not be seen."""
    profile = report.evidence.profile
    return tuple(_lines(profile)) if profile else ()


def _lines(profile: ProfileEvidence) -> Iterator[str]:
    if profile.start and profile.num_workers:
        again = "every epoch" if profile.start.each_epoch else "once"
        yield f"start: first batch after {duration(profile.start.first_batch_ns)}, workers began after {duration(profile.start.workers_ns)}, {again}"
    if profile.storage:
        one = profile.storage
        yield f"storage: {size(one.asked_bytes)} asked for, {size(one.device_bytes)} of it from a device; {number(round(one.files_per_sample, 2))} files opened a sample"
    order = profile.order
    if order and order.slow_count:
        yield (
            f"order: {counted(order.slow_count, 'slow sample')}; simulated {number(round(order.rate, 2))} batches/s as it is, "
            f"{number(round(order.rate_any_order, 2))} in any order, {number(round(order.rate_without_slow, 2))} without them"
        )
    yield from (f"not seen: {clean(one, 160)}" for one in profile.unseen)


_TRIALS = {
    "stack": "one tensor for all of a batch",
    "tensors": "tensors, not arrays and bytes",
    "uint8": "uint8, not float",
    "draft": "Pillow's draft mode at",
    "decoder": "decode with",
    "sequential": "in a row, not at random,",
    "cold": "page cache, not device",
    "alone": "wait without other workers",
    "cache": "keep finished samples",
    "again": "slow samples read again",
    "start": "workers started again",
    "pickle": "sending the dataset to a worker",
}


def trial_rows(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """Return remedies: what, time now, time then, how sure."""
    profile = report.evidence.profile
    return tuple(_trial(one) for one in (profile.trials if profile else ()))


def _trial(one: Trial) -> tuple[str, str, str, str]:
    reduced = one.name == "draft" and one.detail.startswith("cv2.")
    name = "decode with" if reduced else _TRIALS.get(one.name, one.name)
    what = f"{name} {clean(one.detail.removeprefix('cv2.'), 40)}".strip(" ,")
    now = f"{duration(one.now_ns)} a {one.per}"
    if one.name == "pickle":
        return what, now, "", size(one.now_bytes)
    if one.name in ("again", "start"):
        return what, now, duration(one.then_ns), counted(one.pairs, "time")
    sure = f"{number(round(one.low, 2))} to {number(round(one.high, 2))} times"
    return what, now, duration(one.then_ns), sure if one.measured else f"computed, {size(one.then_bytes)}"


@dataclass(frozen=True)
class Span:
    """A rectangle of the time line, positions in thousandths of its width."""

    kind: str
    left: float
    width: float
    text: str


@dataclass(frozen=True)
class Lane:
    """A row of the time line."""

    name: str
    spans: tuple[Span, ...]


SHOWN_BATCHES = 60


def lanes(report: Report) -> tuple[Lane, ...]:
    """Return the first batches by process, on one clock."""
    profile = report.evidence.profile
    rows = profile.timeline[:SHOWN_BATCHES] if profile else ()
    if not rows:
        return ()
    begin = min(min(one.start_ns or one.asked_ns, one.asked_ns) for one in rows)
    end = max(one.delivered_ns for one in rows)
    scale = 1000 / max(1, end - begin)

    def span(kind: str, start: int, stop: int, text: str) -> Span:
        return Span(
            kind,
            round((start - begin) * scale, 2),
            round(max(0.3, (stop - start) * scale), 2),
            f"{text}, {duration(stop - start)}",
        )

    found_: list[Lane] = []
    for worker in sorted({one.worker for one in rows}):
        spans = [part for one in rows if one.worker == worker for part in _made(one, span)]
        found_.append(Lane(f"worker {worker}" if worker >= 0 else "reading", tuple(spans)))
    sent = [
        span("queue", one.sent_ns, one.receiving_ns, f"batch {one.number} lies ready")
        for one in rows
        if one.sent_ns and one.receiving_ns > one.sent_ns
    ]
    if sent:
        found_.append(Lane("ready", tuple(sent)))
    waits = [span("wait", one.asked_ns, one.delivered_ns, f"waits for batch {one.number}") for one in rows]
    found_.append(Lane("consumer", tuple(waits)))
    return tuple(found_)


def _made(one: BatchTimes, span: object) -> Iterator[Span]:
    make = span
    assert callable(make)
    yield make("fetch", one.start_ns, one.fetched_ns, f"batch {one.number}: samples")
    if one.collated_ns > one.fetched_ns:
        yield make("collate", one.fetched_ns, one.collated_ns, f"batch {one.number}: collate")
    if one.sent_ns > one.sending_ns > 0:
        yield make("send", one.sending_ns, one.sent_ns, f"batch {one.number}: serialise")
