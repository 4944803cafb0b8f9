"""Probe ``memory-cause``: who keeps the memory. A second pass of its own, without workers."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.memory import Allocation, GrowingType, MemoryCause
from dldoctor.finding import SourceRef
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.lines import growing_lines
from dldoctor.probes.memory.run import NOTE, seconds_of
from dldoctor.targets import Pipeline

FRAMES = 12
SECONDS = 10.0
MAX_SAMPLES = 4000
TOLD = 5
GROWING = ("leak", "saw-tooth", "allocator", "not-enough-data")


def run(pipeline: Pipeline, session: Session) -> None:
    """Read samples twice over in this process, under tracemalloc, and compare what is kept."""
    left = session.read_note(NOTE)
    if left is None or pipeline.torch_loader is None:
        return
    evidence = left["evidence"]
    if not any(one["growth"]["verdict"] in GROWING for one in evidence["processes"]):
        return
    wanted = min(MAX_SAMPLES, max(64, int(evidence["samples_per_turn"])))
    seconds = min(SECONDS, max(1.0, seconds_of(session) / 4))
    try:
        found = run_in_fork(session.staging, lambda: plain(_trace(pipeline, session, wanted, seconds)))
        lines, skipped = run_in_fork(session.staging, lambda: growing_lines(pipeline, wanted, seconds))
    except RunDiedError as error:
        session.cut(f"the second pass over the memory ended early: {error}")
        return
    cause = {**found, "lines": lines, "lines_skipped": skipped}
    value = {**evidence, "cause": cause}
    session.leave_note(NOTE, {**left, "evidence": value})
    session.channel.send("evidence", branch="memory", value=value, phase=session.phase)


def _trace(pipeline: Pipeline, session: Session, wanted: int, seconds: float) -> MemoryCause:
    fetch = fetches(pipeline, session)
    tracemalloc.start(FRAMES)
    _read(fetch, wanted // 4, time.monotonic() + seconds / 3)
    gc.collect()
    types, before, size = _types(), tracemalloc.take_snapshot(), counters.cheap().grown_bytes
    traced = tracemalloc.get_traced_memory()[0]
    read = _read(fetch, wanted - wanted // 4, time.monotonic() + seconds / 2)
    gc.collect()
    more = _more_of(types, _types(), read)
    rise = counters.cheap().grown_bytes - size
    kept = tracemalloc.get_traced_memory()[0] - traced
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    return MemoryCause(
        samples=read,
        rise_bytes=max(0, rise),
        python_bytes=max(0, kept),
        types=more,
        allocations=_kept(before, after),
    )


def fetches(pipeline: Pipeline, session: Session | None = None) -> Iterator[int]:
    """Read and collate batches as a worker would, again and again; yield their numbers of samples."""
    inner = pipeline.torch_loader
    assert inner is not None
    attributes = vars(inner)
    dataset, collate = attributes["dataset"], attributes["collate_fn"]
    while True:
        count = 0
        for samples in _batches(pipeline, dataset, session):
            count += 1
            with contextlib.suppress(Exception):  # the loader's evidence has what the user's code raises
                collate(samples)
            yield len(samples) if isinstance(samples, list) else 1
        if not count:
            return


def _batches(pipeline: Pipeline, dataset: Any, session: Session | None) -> Iterator[Any]:
    attributes = vars(pipeline.torch_loader)
    size = attributes.get("batch_size") or 8
    if pipeline.spec.kind == "iterable":
        stream = iter(dataset)
        while samples := list(islice(stream, size)):
            yield samples
        return
    length = len(dataset) if hasattr(type(dataset), "__len__") else MAX_SAMPLES
    for start in range(0, min(length, MAX_SAMPLES), size):
        samples = []
        for index in range(start, min(start + size, length)):
            if session is not None:
                session.note("getitem", index)
            with contextlib.suppress(Exception):
                samples.append(dataset[index])
        yield samples


def _read(fetch: Iterator[int], samples: int, deadline: float) -> int:
    read = 0
    while read < samples and time.monotonic() < deadline:
        read += next(fetch, samples)
    return read


def _types() -> Counter[str]:
    return Counter(type(one).__name__ for one in gc.get_objects())


def _more_of(before: Counter[str], after: Counter[str], samples: int) -> tuple[GrowingType, ...]:
    """Return the types that gained at least one object for every eighth sample."""
    gained = [(after[name] - before[name], name) for name in after]
    ours = {"Traceback", "StatisticDiff", "Statistic", "Trace", "Frame"}
    return tuple(
        GrowingType(name, before[name], after[name])
        for gain, name in sorted(gained, reverse=True)[:TOLD]
        if gain * 8 >= max(64, samples) and name not in ours
    )


def _kept(before: tracemalloc.Snapshot, after: tracemalloc.Snapshot) -> tuple[Allocation, ...]:
    """Return the user's lines whose allocations are still there."""
    kept: dict[tuple[str, int], list[int]] = {}
    for change in after.compare_to(before, "traceback"):
        if change.size_diff <= 0:
            continue
        frames = [frame for frame in change.traceback if is_first_party(frame.filename)]
        if frames:
            total = kept.setdefault((frames[-1].filename, frames[-1].lineno), [0, 0])
            total[0] += change.size_diff
            total[1] += change.count_diff
    largest = sorted(kept.items(), key=lambda item: -item[1][0])[:TOLD]
    return tuple(
        Allocation(SourceRef(shown_path(path), line, function_at(path, line)), size, blocks)
        for (path, line), (size, blocks) in largest
        if size >= 16 * 1024
    )


def function_at(path: str, line: int) -> str | None:
    """Return the name of the user's function that holds a line, where it is loaded."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == path:
            owners = [module, *(one for one in vars(module).values() if isinstance(one, type))]
            return next(filter(None, (_holding(owner, path, line) for owner in owners)), None)
    return None


def _holding(owner: Any, path: str, line: int) -> str | None:
    best: Callable[..., Any] | None = None
    for value in vars(owner).values():
        code = getattr(value, "__code__", None)
        if code is not None and code.co_filename == path:
            lines = [number for _, _, number in code.co_lines() if number]
            if lines and code.co_firstlineno <= line <= max(lines):
                best = value
    return best.__name__ if best is not None else None
