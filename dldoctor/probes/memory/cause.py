"""Probe ``memory-cause``: who keeps the memory. A second pass of its own, without workers."""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.memory_cause import Allocation, GrowingType, MemoryCause
from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.containers import Roots
from dldoctor.probes.memory.lines import growing_lines
from dldoctor.probes.memory.native import trace
from dldoctor.probes.memory.put_lines import where_put
from dldoctor.probes.memory.reading import MAX_SAMPLES, fetches, read
from dldoctor.probes.memory.run import NOTE, seconds_of
from dldoctor.targets import Pipeline

FRAMES = 12
SECONDS = 10.0
TOLD = 5
LINES_KEPT = 200
GROWING = ("leak", "saw-tooth", "allocator", "not-enough-data")


def run(pipeline: Pipeline, session: Session) -> None:
    """Look for who keeps the memory that grows; with ``--memray`` whatever the verdict."""
    left = session.read_note(NOTE)
    if left is None or pipeline.torch_loader is None:
        return
    evidence = left["evidence"]
    wanted = min(MAX_SAMPLES, max(64, int(evidence["samples_per_turn"])))
    seconds = min(SECONDS, max(1.0, seconds_of(session) / 4))
    value = dict(evidence)
    kept_at: dict[tuple[str, int], int] = {}
    if any(one["growth"]["verdict"] in GROWING for one in evidence["processes"]):
        value["cause"], kept_at = _cause(pipeline, session, wanted, seconds)
    value["containers"] = _with_lines(pipeline, evidence["containers"], kept_at)
    value["native"] = plain(trace(pipeline, session, wanted, seconds))
    if value == evidence:
        return
    session.leave_note(NOTE, {**left, "evidence": value})
    session.channel.send("evidence", branch="memory", value=value, phase=session.phase)


def _with_lines(pipeline: Pipeline, grown: list[Any], kept_at: dict[tuple[str, int], int]) -> list[Any]:
    """Return the containers, each with the line that puts entries into it."""
    inner: Any = pipeline.torch_loader
    outer = pipeline.loader if pipeline.loader is not inner else None
    roots = Roots(vars(inner)["dataset"], vars(inner)["collate_fn"], outer)
    return [{**one, "put_at": plain(where_put(one["path"], roots, kept_at))} for one in grown]


def _cause(
    pipeline: Pipeline, session: Session, wanted: int, seconds: float
) -> tuple[Any, dict[tuple[str, int], int]]:
    """Read samples twice over in a fork, under tracemalloc, and compare what is kept; then line by line.

    Beside that, the bytes that are kept, by each of the user's lines that their allocation passed through.
    """
    try:
        found, passed = run_in_fork(
            session.staging, lambda: plain(_trace(pipeline, session, wanted, seconds))
        )
        lines, skipped = run_in_fork(session.staging, lambda: growing_lines(pipeline, wanted, seconds))
    except RunDiedError as error:
        session.cut(f"the second pass over the memory ended early: {error}")
        return None, {}
    kept_at = {(path, line): size for path, line, size in passed}
    return {**found, "lines": lines, "lines_skipped": skipped}, kept_at


def _trace(
    pipeline: Pipeline, session: Session, wanted: int, seconds: float
) -> tuple[MemoryCause, list[tuple[str, int, int]]]:
    # The same samples again, as far as the time allows: what is kept of a first reading is no growth.
    fetch, reader = fetches(pipeline, session, wanted), counters.reader()
    tracemalloc.start(FRAMES)
    read(fetch, wanted, time.monotonic() + seconds / 2)
    gc.collect()
    types, before, size = _types(), tracemalloc.take_snapshot(), reader.cheap().grown_bytes
    traced = tracemalloc.get_traced_memory()[0]
    done = read(fetch, wanted, time.monotonic() + seconds / 2)
    gc.collect()
    more = _more_of(types, _types(), done)
    rise = reader.cheap().grown_bytes - size
    kept = tracemalloc.get_traced_memory()[0] - traced
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    changes = after.compare_to(before, "traceback")
    cause = MemoryCause(
        samples=done,
        rise_bytes=max(0, rise),
        python_bytes=max(0, kept),
        types=more,
        allocations=_kept(changes),
    )
    return cause, _passed(changes)


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


def _passed(changes: Sequence[tracemalloc.StatisticDiff]) -> list[tuple[str, int, int]]:
    """Return the user's lines that kept allocations passed through, with their bytes."""
    passed: Counter[tuple[str, int]] = Counter()
    for change in changes:
        lines = {(frame.filename, frame.lineno) for frame in change.traceback}
        passed.update({line: change.size_diff for line in lines if is_first_party(line[0])})
    return [(path, line, size) for (path, line), size in passed.most_common(LINES_KEPT) if size > 0]


def _kept(changes: Sequence[tracemalloc.StatisticDiff]) -> tuple[Allocation, ...]:
    """Return the user's lines whose allocations are still there."""
    kept: dict[tuple[str, int], list[int]] = {}
    for change in changes:
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
        if attribute(module, "__file__", None) == path:
            owners = [module, *(one for one in vars(module).values() if isinstance(one, type))]
            return next(filter(None, (_holding(owner, path, line) for owner in owners)), None)
    return None


def _holding(owner: Any, path: str, line: int) -> str | None:
    best: Callable[..., Any] | None = None
    for value in vars(owner).values():
        code = attribute(value, "__code__", None)
        if code is not None and code.co_filename == path:
            lines = [number for _, _, number in code.co_lines() if number]
            if lines and code.co_firstlineno <= line <= max(lines):
                best = value
    return best.__name__ if best is not None else None
