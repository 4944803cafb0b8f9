"""The length of training steps from a trace of torch.profiler (Chrome's format)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

_LOADER = "enumerate(DataLoader)"
_STEP = "ProfilerStep#"
_KEPT = 200


class TraceError(Exception):
    """The text is no trace, or holds no step."""


def step_times(text: str) -> tuple[float, ...]:
    """Return the seconds of each step without the time that it waited for data.

    Steps are the profiler's own marks; without marks, what lies between two batches. The first is
    left out, since it warms up.

    Raises:
        TraceError: the text is no trace, or holds no step.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise TraceError(f"it is not JSON ({error})") from error
    events = found.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list):
        raise TraceError("it has no `traceEvents`, so it is no trace of torch.profiler")
    waits = _spans(events, _LOADER)
    steps = _spans(events, _STEP)
    times = [_without(step, waits) for step in steps] if steps else _between(waits)
    times = [one for one in times if one > 0]
    kept = times[1:] if len(times) > 2 else times
    if not kept:
        raise TraceError(
            f"it holds neither `{_STEP}` spans (call `profiler.step()`) nor spans of a DataLoader"
        )
    return tuple(kept[-_KEPT:])


def _spans(events: Sequence[Any], prefix: str) -> list[tuple[float, float]]:
    """Return start and end, in microseconds, of complete events on the host whose name begins so.

    The profiler draws each step on the host and once more on the device; the host's comes once a name.
    """
    seen: dict[tuple[str, float], tuple[float, float]] = {}
    names: set[str] = set()
    for event in events:
        name = event.get("name", "") if isinstance(event, dict) else ""
        if not isinstance(name, str) or not name.startswith(prefix) or event.get("ph") != "X":
            continue
        if str(event.get("cat", "")).startswith("gpu"):
            continue
        if prefix == _STEP and name in names:
            continue
        names.add(name)
        start = float(event["ts"])
        seen[name, start] = (start, start + float(event.get("dur", 0.0)))
    return sorted(seen.values())


def _without(span: tuple[float, float], waits: Sequence[tuple[float, float]]) -> float:
    waited = sum(max(0.0, min(span[1], end) - max(span[0], start)) for start, end in waits)
    return (span[1] - span[0] - waited) / 1e6


def _between(waits: Sequence[tuple[float, float]]) -> list[float]:
    return [(after[0] - before[1]) / 1e6 for before, after in pairwise(waits)]
