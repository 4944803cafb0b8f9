"""The sweep: four numbers, the answer, the surface, and how it was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import counted, duration, number, rate, share, size
from dldoctor.report import Report

SIMULATED = ("simulated", "trace")


@dataclass(frozen=True)
class RateRow:
    """One of the four numbers."""

    name: str
    value: str
    detail: str


def found(report: Report) -> SweepEvidence | None:
    """Return the sweep, if there was one."""
    return report.evidence.sweep


def rate_rows(sweep: SweepEvidence) -> tuple[RateRow, ...]:
    """Return the four numbers, in batches per second."""
    rates = sweep.rates
    spread = (
        f"90% interval {rate(rates.loader_low)} .. {rate(rates.loader_high)}, batches taken as they come"
        if rates.loader_low is not None and rates.loader_high is not None
        else ""
    )
    rows = (
        RateRow("the loader now", rate(rates.loader), spread),
        RateRow("the consumer", rate(rates.consumer), consumer_line(sweep)),
        RateRow(
            "these cores",
            rate(rates.cores),
            f"the most that {counted_cores(sweep.cores)} allow, with as many workers as it takes",
        ),
        RateRow("data for free", rate(rates.free), "the consumer over batches that were read before"),
    )
    # The consumer's row says that there is none; the others are left out where they were not measured.
    return tuple(row for row in rows if row.value != "-" or row.name == "the consumer")


def counted_cores(cores: float) -> str:
    """Return ``2 cores``."""
    return f"{number(cores)} core{'' if cores == 1 else 's'}"


def consumer_line(sweep: SweepEvidence) -> str:
    """Return what took the batches, and whether that was simulated."""
    consumer = sweep.consumer
    if consumer.kind == "none":
        slowest = sweep.rates.loader
        enough = (
            f": the loader is fast enough for any step slower than {duration(1e9 / slowest)}"
            if slowest
            else ""
        )
        return f"none was given{enough}"
    step = duration(consumer.step_ns)
    host = f", {duration(consumer.host_ns)} of it computing" if consumer.host_ns else ""
    if consumer.kind == "step":
        return f"{clean(consumer.source, 80)} on {clean(consumer.device, 20)}, {step} a step{host}"
    origin = "the lengths of a profiler's trace" if consumer.kind == "trace" else "declared"
    return f"simulated by waiting ({origin}), {step} a step{host}"


def answer(sweep: SweepEvidence) -> str:
    """Return the answer in one sentence."""
    gain = sweep.gain
    shown = f"{gain.value:+.0%} ({gain.low:+.0%} .. {gain.high:+.0%})" if gain else ""
    sentences = {
        "change": f"{shown} over the current setting, in paired runs",
        "fewer": f"no significant gain ({shown}); the same rate comes with fewer workers",
        "keep": f"no significant gain over the current setting{f' ({shown})' if shown else ''}",
        "cores-full": "more workers cannot help: the cores are full; make the slow stage cheaper"
        " (`dldoctor profile`)",
        "too-noisy": "the machine is too noisy to say: other work disturbed the runs",
        "predicted": "predicted, not verified: the time was over",
        "check": "only the current setting was measured",
    }
    return sentences.get(sweep.verdict, sweep.verdict)


def line_to_paste(sweep: SweepEvidence) -> str:
    """Return the arguments to paste; empty where nothing is recommended."""
    if sweep.recommended is None or sweep.verdict == "check":
        return ""
    return f"DataLoader(..., {arguments(sweep.recommended)})"


def arguments(values: dict[str, Any]) -> str:
    """Return loader arguments as code."""
    return ", ".join(f"{clean(name, 40)}={clean(str(value), 40)}" for name, value in values.items())


def notes(sweep: SweepEvidence) -> tuple[str, ...]:
    """Return what one must know to read the figures."""
    return tuple(_notes(sweep))


def _notes(sweep: SweepEvidence) -> Iterator[str]:
    whole = sweep.batch_cpu_ns + sweep.batch_blocked_ns
    if whole:
        hand = (
            f"; handing it over from a worker costs {duration(sweep.hand_over_ns)} of CPU"
            if sweep.hand_over_ns
            else ""
        )
        yield (
            f"a batch ({size(sweep.batch_bytes)}) takes {duration(sweep.batch_cpu_ns)} of CPU and waits "
            f"{duration(sweep.batch_blocked_ns)} for storage, network or a lock{hand}"
        )
    if len(sweep.equal) > 1:
        pairs = ", ".join(f"{w} x {p}" if w else "0" for w, p in sweep.equal[:6])
        more = f" and {len(sweep.equal) - 6} more" if len(sweep.equal) > 6 else ""
        yield f"as good as one another (workers x prefetch): {pairs}{more}; the smallest is preferred"
    if sweep.cold_ns and sweep.warm_ns:
        told = sweep.cold_ns > 1.2 * sweep.warm_ns and sweep.cold_ns - sweep.warm_ns > 1_000_000
        text = f"a batch read for the first time takes {duration(sweep.cold_ns)}, once more {duration(sweep.warm_ns)}"
        yield text + (
            ": all rates here are those of data in the page cache; data that does not fit it is read at the first rate"
            if told
            else ": no sign of a cold cache"
        )
    if sweep.cores_seen > sweep.cores * 1.01:
        yield (
            f"torch's own suggestion would be {number(sweep.cores_seen)} workers; it does not see the quota"
            f"{' and the other ranks' if sweep.ranks > 1 else ''} that leave {counted_cores(sweep.cores)}"
        )
    if sweep.ranks > 1:
        yield f"planned for {sweep.ranks} ranks on this host: each has {counted_cores(sweep.cores)}, memory is of all"
    foreign = [run.foreign_cores for run in sweep.runs]
    if foreign:
        again = sum(run.tries - 1 for run in sweep.runs)
        yield (
            f"{counted(len(sweep.runs), 'run')} in {sweep.seconds:.0f} s"
            f"{f', {again} repeated' if again else ''}; other programs used {sum(foreign) / len(foreign):.2g} cores "
            f"meanwhile; the first workers x prefetch batches of each run are not counted"
        )
    for trial in sweep.trials:
        yield (
            f"with {clean(trial.name, 40)}={clean(trial.value, 40)}: {trial.gain:+.0%} batches/s "
            f"({trial.low:+.0%} .. {trial.high:+.0%})"
            + (
                " - a batch of another size, so rates do not compare as training does"
                if trial.name == "batch_size"
                else ""
            )
        )


def point_rows(sweep: SweepEvidence) -> tuple[tuple[str, ...], ...]:
    """Return the points that were measured, and those that are refused, as a table."""
    rows = []
    for point in sweep.points:
        if point.measured is None and not point.refused:
            continue
        predicted = (
            f"{rate(point.predicted)} ({rate(point.low)} .. {rate(point.high)})" if point.predicted else ""
        )
        rows.append(
            (
                str(point.num_workers),
                "" if point.prefetch_factor is None else str(point.prefetch_factor),
                predicted,
                rate(point.measured) if point.measured is not None else "",
                "" if point.wait_share is None else share(point.wait_share),
                "" if point.gpu_utilization is None else share(point.gpu_utilization),
                "" if point.memory_bytes is None else size(point.memory_bytes),
                clean(point.refused or "", 120),
            )
        )
    return tuple(rows)


def regions(sweep: SweepEvidence) -> tuple[str, ...]:
    """Return what bounds the rate in which region, one sentence a bottleneck."""
    by: dict[str, list[int]] = {}
    for point in sweep.points:
        if point.bottleneck:
            by.setdefault(point.bottleneck, []).append(point.num_workers)
    names = {
        "workers": "too few workers", "cores": "the cores are full", "hand-over": "the main process is full",
        "order": "a late batch holds up the others", "consumer": "the consumer, as it should be",
    }  # fmt: skip
    return tuple(
        f"{_range(numbers)}: {names.get(bottleneck, bottleneck)}" for bottleneck, numbers in by.items()
    )


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return counted(low, "worker") if low == high else f"{low} .. {high} workers"
