"""One epoch of a loader in a process of its own, as it is or under one of the profilers; see `rivals.py`.

``python rival_loop.py RESULT WORKERS BATCHES [torch|ours]`` writes the milliseconds between two batches, after
the first ones, to RESULT; other profilers are started around this script.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from known_stages import loader


def bare(workers: int, batches: int) -> float:
    """Return milliseconds a batch."""
    stamps = [time.perf_counter() for _ in loader(workers, batches)]
    skip = 2 * workers + 1
    return 1e3 * (stamps[-1] - stamps[skip]) / (len(stamps) - 1 - skip)


def under_torch(workers: int, batches: int) -> float:
    """Return the same under torch's own profiler, which sees the main process."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        found = bare(workers, batches)
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(str(Path(folder, "trace.json")))
    return found


def under_ours(workers: int, batches: int) -> float:
    """Return the same while `dldoctor profile` runs it."""
    from attribution import profiled

    timing: Any = profiled(workers, batches).evidence.timing
    return float(timing.batches.mean / 1e6)


def main() -> None:
    """Run once."""
    result, workers, batches, *how = sys.argv[1:]
    run = {"torch": under_torch, "ours": under_ours}.get(how[0] if how else "", bare)
    found = run(int(workers), int(batches))
    Path(result).write_text(str(found), encoding="utf-8")


if __name__ == "__main__":
    main()
