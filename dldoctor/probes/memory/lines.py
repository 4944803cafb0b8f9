"""Resident memory line by line, with memory-profiler where the user's environment has it: an indication."""

from __future__ import annotations

import contextlib
import importlib
import linecache
import time
from typing import Any

from dldoctor.child.channel import plain
from dldoctor.evidence.memory_cause import GrowingLine
from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.memory.reading import fetches, read
from dldoctor.targets import Pipeline

LEAST_BYTES = 256 * 1024
TOLD = 5
SAMPLES = 400


def growing_lines(pipeline: Pipeline, wanted: int, seconds: float) -> tuple[Any, str | None]:
    """Return the user's lines at which memory rose, as JSON values, or why there is no answer."""
    try:
        # By name: it is used where the user's environment has it, and nothing here depends on it.
        line_profiler = importlib.import_module("memory_profiler").LineProfiler
    except ImportError:
        return [], "memory-profiler is not installed in the environment of the loader"
    inner: Any = pipeline.torch_loader
    dataset, collate = vars(inner)["dataset"], vars(inner)["collate_fn"]
    functions = _functions(dataset, collate)
    if not functions:
        return [], "`__getitem__`, `__iter__` and the collate are not plain Python functions of yours"
    profiler = line_profiler(backend="psutil")
    for function in functions:
        profiler.add_function(function)
    _run(pipeline, profiler, min(wanted, SAMPLES), time.monotonic() + seconds)
    found = []
    for path, lines in profiler.code_map.items():
        for number, measured in lines:
            rise = int(measured[0] * 2**20) if measured else 0
            text = linecache.getline(path, number).strip()[:100]
            # On the line of the definition stands the whole memory of the process, not its rise.
            if rise >= LEAST_BYTES and not text.startswith(("def ", "@", "async def ")):
                found.append(GrowingLine(SourceRef(shown_path(path), number, None), rise, text))
    found.sort(key=lambda one: -one.rise_bytes)
    return plain(found[:TOLD]), None


def _functions(dataset: Any, collate: Any) -> list[Any]:
    candidates: list[Any] = [attribute(type(dataset), name, None) for name in ("__getitem__", "__iter__")]
    candidates += [collate, vars(type(collate)).get("__call__")]
    codes = [(one, attribute(one, "__code__", None)) for one in candidates]
    return [one for one, code in codes if code is not None and is_first_party(code.co_filename)]


def _run(pipeline: Pipeline, profiler: Any, wanted: int, deadline: float) -> None:
    profiler.enable_by_count()
    try:
        read(fetches(pipeline), wanted, deadline)
    finally:
        with contextlib.suppress(Exception):
            profiler.disable_by_count()
