"""What libraries keep as well: a pass under memray, where the user's environment has it, for ``--memray FILE``."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import time
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.memory_cause import Allocation, NativeTrace
from dldoctor.finding import SourceRef
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.memory.reading import fetches, read
from dldoctor.targets import Pipeline

TOLD = 5
LEAST_BYTES = 64 * 1024


def trace(pipeline: Pipeline, session: Session, wanted: int, seconds: float) -> NativeTrace | None:
    """Return what memray saw kept, its file written where it was asked for; None where it was not."""
    file = session.request.options.get("memray")
    if not isinstance(file, str):
        return None
    try:
        importlib.import_module("memray")
    except ImportError:
        return NativeTrace(file, skipped="memray is not installed in the environment of the loader")
    staged = os.path.join(session.staging, "memray.bin")
    try:
        found = run_in_fork(session.staging, lambda: _trace(pipeline, session, wanted, seconds, staged))
        _deliver(staged, file)
    except (RunDiedError, OSError) as error:
        return NativeTrace(file, skipped=f"the pass under memray ended early: {error}")
    return NativeTrace(
        file,
        samples=found["samples"],
        kept=tuple(
            Allocation(SourceRef(path, line, symbol), size, blocks)
            for path, line, symbol, size, blocks in found["kept"]
        ),
    )


def _trace(pipeline: Pipeline, session: Session, wanted: int, seconds: float, staged: str) -> Any:
    memray = importlib.import_module("memray")
    fetch = fetches(pipeline, session)
    read(fetch, wanted // 4, time.monotonic() + seconds / 3)
    gc.collect()
    # One record a place and not one an allocation: the file stays small however long the pass is.
    form = memray.FileFormat.AGGREGATED_ALLOCATIONS
    with memray.Tracker(staged, trace_python_allocators=True, file_format=form):
        samples = read(fetch, wanted - wanted // 4, time.monotonic() + seconds)
        gc.collect()
    return plain({"samples": samples, "kept": _kept(memray, staged)})


def _kept(memray: Any, staged: str) -> list[tuple[str, int, str, int, int]]:
    """Return the user's lines below which most was allocated and not given back."""
    kept: dict[tuple[str, int, str], list[int]] = {}
    with memray.FileReader(staged) as file:
        for record in file.get_leaked_allocation_records(merge_threads=True):
            own = next((frame for frame in record.stack_trace() if is_first_party(frame[1])), None)
            if own is not None:
                function, path, line = own
                total = kept.setdefault((shown_path(path), line, function), [0, 0])
                total[0] += record.size
                total[1] += record.n_allocations
    largest = sorted(kept.items(), key=lambda item: -item[1][0])[:TOLD]
    return [(*place, size, blocks) for place, (size, blocks) in largest if size >= LEAST_BYTES]


def _deliver(staged: str, file: str) -> None:
    """Put the file in its place, whole or not at all."""
    os.makedirs(os.path.dirname(file), exist_ok=True)
    beside = f"{file}.{os.getpid()}.part"
    try:
        shutil.copyfile(staged, beside)
        os.replace(beside, file)
    finally:
        if os.path.exists(beside):
            os.unlink(beside)
