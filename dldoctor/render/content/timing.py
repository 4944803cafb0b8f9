"""Time per sample and per batch, the first batch apart, and what our own watching cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.distribution import Distribution
from dldoctor.evidence.timing import Interval, TimingEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import id_text
from dldoctor.render.numbers import counted, duration, number, share
from dldoctor.report import Report


@dataclass(frozen=True)
class TimingRow:
    """One time or rate."""

    name: str
    value: str
    detail: str = ""


def timing_rows(report: Report) -> tuple[TimingRow, ...]:
    """Return the times of the run."""
    timing = report.evidence.timing
    return tuple(_rows(report, timing)) if timing else ()


def overhead_line(report: Report) -> str:
    """Return what our own observation cost, or nothing where nothing was observed."""
    if not report.overhead.seconds and report.evidence.timing is None:
        return ""
    seconds = duration(report.overhead.seconds * 1e9)
    return f"watching cost {seconds} of CPU, {share(report.overhead.share)} of what your code used"


def _rows(report: Report, timing: TimingEvidence) -> Iterator[TimingRow]:
    workers = report.evidence.loader.num_workers if report.evidence.loader else 0
    starts = "starts the workers and fetches" if workers else "fetches the first samples"
    yield TimingRow("first batch", duration(timing.first_batch_ns), starts)
    if timing.counted_batches:
        over = f"over {counted(timing.counted_batches, 'batch', 'batches')}"
        detail = ", ".join(part for part in ("median", _tail(timing.batches), over) if part)
        yield TimingRow("then a batch", duration(timing.batch_p50_ns), detail)
    if timing.sample_p50_ns is not None:
        median = f"median{_interval_ns(timing.sample_p50)}"
        detail = ", ".join(part for part in (median, _tail(timing.samples)) if part)
        yield TimingRow("a sample", duration(timing.sample_p50_ns), detail)
    if timing.collate_p50_ns is not None:
        yield TimingRow("collate", duration(timing.collate_p50_ns), "median of a batch")
    if timing.samples_per_s:
        rate = timing.samples_per_s
        interval = f"90% interval {number(_round(rate.low))} .. {number(_round(rate.high))}"
        detail = f"samples ({interval}), batches being taken as they come"
        yield TimingRow("rate", f"{number(_round(rate.value))}/s", detail)
    if timing.slowest:
        first = timing.slowest[0]
        others = [f"{id_text(s.id)} ({duration(s.total_ns)}{_stage(s.stage)})" for s in timing.slowest[1:4]]
        then = f"; then {', '.join(others)}" if others else ""
        detail = f"sample {id_text(first.id)}{_stage(first.stage)}{then}"
        yield TimingRow("the slowest", duration(first.total_ns), detail)


def _stage(stage: str) -> str:
    return f" in {clean(stage, 40)}" if stage not in ("", "sample", "getitem") else ""


def _tail(found: Distribution | None) -> str:
    return f"p90 {duration(found.p90)}, p99 {duration(found.p99)}, max {duration(found.max)}" if found else ""


def _interval_ns(found: Interval | None) -> str:
    return f" (90% interval {duration(found.low)} .. {duration(found.high)})" if found else ""


def _round(rate: float) -> float:
    return float(f"{rate:.3g}")
