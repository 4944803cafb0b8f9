"""Memory per process over the run: one row and one line of a plot each, and what was found behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.memory import Growth, MemoryEvidence, ProcessMemory
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted, number, share, size
from dldoctor.report import Report

VERDICTS = {
    "leak": "grows without end",
    "copy-on-write": "copied on write, which ends",
    "plateau": "flat, or levelled off",
    "saw-tooth": "grows until its epoch ends",
    "allocator": "held by the allocator",
    "consumer": "grows with the step alone",
    "not-enough-data": "too short a look to tell",
}
"""Each verdict in plain words."""


@dataclass(frozen=True)
class Dot:
    """One point of a plot."""

    at: float
    """Place along the run, 0 to 1."""
    epoch: int
    bytes: int


@dataclass(frozen=True)
class ProcessRow:
    """One process."""

    name: str
    verdict: str
    first: str
    last: str
    peak: str
    rate: str
    descriptors: str
    threads: str
    dots: tuple[Dot, ...]
    low: int
    high: int

    def heights(self) -> tuple[tuple[float, float], ...]:
        """Return place and height of each dot, both 0 to 1; a flat series lies at the bottom."""
        span = max(self.high - self.low, 1)
        return tuple((dot.at, (dot.bytes - self.low) / span) for dot in self.dots)

    def marks(self) -> tuple[float, ...]:
        """Return where each epoch but the first begins."""
        pairs = zip(self.dots, self.dots[1:], strict=False)
        return tuple((a.at + b.at) / 2 for a, b in pairs if b.epoch != a.epoch)


def title(report: Report) -> str:
    """Return what was run."""
    memory = report.evidence.memory
    if memory is None:
        return ""
    epochs = counted(memory.epochs, "epoch")
    twice = ", twice in each" if memory.turns == 2 * memory.epochs else ""
    return f"{epochs} over the same {counted(memory.batches_per_turn, 'batch', 'batches')}{twice}"


def process_rows(report: Report) -> tuple[ProcessRow, ...]:
    """Return a row for each process."""
    memory = report.evidence.memory
    return tuple(map(_row, memory.processes)) if memory else ()


def _row(process: ProcessMemory) -> ProcessRow:
    uss = [point.uss_bytes for point in process.series] or [0]
    times = [point.at_s for point in process.series] or [0.0]
    start, span = times[0], max(times[-1] - times[0], 1e-9)
    dots = tuple(Dot((p.at_s - start) / span, p.epoch, p.uss_bytes) for p in process.series)
    opened = [point.descriptors for point in process.series] or [0]
    return ProcessRow(
        name="main" if process.role == "main" else f"worker {process.worker}",
        verdict=VERDICTS[process.growth.verdict],
        first=size(uss[0]),
        last=size(uss[-1]),
        peak=size(max(uss)),
        rate=_rate(process.growth),
        descriptors=_change(opened),
        threads=_change([process.threads_first, process.threads_last]),
        dots=dots,
        low=min(uss),
        high=max(uss),
    )


def _rate(growth: Growth) -> str:
    slope = growth.per_1000_samples
    if slope is None:
        return ""
    certain = slope.low > 0 and growth.verdict in ("leak", "saw-tooth", "allocator")
    return f"{'-' if slope.value < 0 else '+'}{size(abs(slope.value))}" if certain else "0"


def _change(values: list[int]) -> str:
    return count(values[0]) if values[0] == values[-1] else f"{count(values[0])} to {count(values[-1])}"


def lines(report: Report) -> tuple[str, ...]:
    """Return sentences on the whole run."""
    memory = report.evidence.memory
    return tuple(_lines(report, memory)) if memory else ()


def _lines(report: Report, memory: MemoryEvidence) -> Iterator[str]:
    yield f"verdict: {memory.verdict} ({VERDICTS[memory.verdict]})"
    machine = report.evidence.machine
    allowed = (
        f", {share(memory.peak_bytes / machine.memory_limit_bytes)} of the {size(machine.memory_limit_bytes)} allowed"
        if machine and machine.memory_limit_bytes
        else ""
    )
    yield f"all processes together took {size(memory.peak_bytes)} at the peak{allowed}"
    yield from _children(memory)
    for held in memory.holdings[:4]:
        objects = f", {count(held.objects)} Python objects" if held.python_bytes > held.bytes / 2 else ""
        yield f"`{clean(held.path, 80)}` keeps {size(held.bytes)} ({clean(held.kind, 40)}{objects})"
    for one in memory.containers[:4]:
        when = "when the same samples were read again" if one.again else "on first readings"
        yield (
            f"`{clean(one.path, 80)}` grew from {count(one.first_length)} to {count(one.last_length)} {when}"
            f" ({number(one.per_sample)} a sample, {one.role})"
        )
    yield from _cause(memory)
    yield from _native(memory)
    if memory.consumer is not None:
        found = memory.consumer
        yield (
            f"with `{clean(found.step, 80)}` the main process changes by {size(found.bytes_per_batch.value)} and"
            f" {number(found.descriptors_per_batch.value)} descriptors a batch, without it by"
            f" {size(found.alone_bytes_per_batch)} and {number(found.alone_descriptors_per_batch)}"
        )
    for kind in (
        kind for one in memory.processes for kind in one.descriptors_by if kind.last - kind.first >= 8
    ):
        yield f"descriptors {clean(kind.pattern, 80)}: {count(kind.first)} to {count(kind.last)}"
    if memory.ended:
        yield f"the run ended early: {clean(memory.ended, 200)}"
    yield f"watching took {share(memory.overhead_share)} of the CPU time of the processes"


def _children(memory: MemoryEvidence) -> Iterator[str]:
    """Yield what the processes take that processes of the loader started."""
    for process in memory.processes:
        most = max(process.series, key=lambda point: point.children, default=None)
        if most is not None and most.children:
            name = "the main process" if process.role == "main" else f"worker {process.worker}"
            yield f"{name} had up to {counted(most.children, 'child process', 'child processes')}, {size(most.children_bytes)}"


def _native(memory: MemoryEvidence) -> Iterator[str]:
    native = memory.native
    if native is None:
        return
    if native.skipped:
        yield f"no recording by memray: {clean(native.skipped, 200)}"
        return
    yield f"memray recorded {counted(native.samples, 'sample')} in {clean(native.file, 200)}"
    for one in native.kept[:3]:
        yield f"kept below {clean(str(one.where), 120)}: {size(one.kept_bytes)} in {counted(one.blocks, 'block')} (memray)"


def _cause(memory: MemoryEvidence) -> Iterator[str]:
    cause = memory.cause
    if cause is None:
        return
    yield (
        f"a second pass without workers kept {size(cause.rise_bytes)} over {counted(cause.samples, 'sample')},"
        f" {size(cause.python_bytes)} of it by Python's allocators"
    )
    for one in cause.allocations[:3]:
        yield f"kept by {clean(str(one.where), 120)}: {size(one.kept_bytes)} in {counted(one.blocks, 'block')}"
    for line in cause.lines[:2]:
        yield f"rise at {clean(str(line.where), 120)}: {size(line.rise_bytes)} `{clean(line.text, 80)}` (an indication)"
    if cause.lines_skipped:
        yield f"not line by line: {clean(cause.lines_skipped, 200)}"
