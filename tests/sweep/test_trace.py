"""Steps from a profiler's trace."""

from __future__ import annotations

import json

import pytest

from dldoctor.sweep.trace import TraceError, step_times

NEXT = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def event(
    name: str, start_ms: float, length_ms: float, category: str = "user_annotation"
) -> dict[str, object]:
    return {"ph": "X", "cat": category, "name": name, "ts": start_ms * 1e3, "dur": length_ms * 1e3}


def test_a_step_is_its_mark_less_the_wait_for_data() -> None:
    """The first step warms up, and the device's copy of a mark is no further step."""
    events = [event(f"ProfilerStep#{n}", 100 * n, 100) for n in range(4)]
    events += [event(NEXT, 100 * n, 30 + n) for n in range(4)]
    events += [event("ProfilerStep#2", 205, 90, "gpu_user_annotation"), {"ph": "M", "name": "process_name"}]
    assert step_times(json.dumps({"traceEvents": events})) == pytest.approx((0.069, 0.068, 0.067))


def test_without_marks_a_step_lies_between_two_batches() -> None:
    events = [event(NEXT, 50 * n, 10, "cpu_op") for n in range(5)]
    assert step_times(json.dumps(events)) == pytest.approx((0.04, 0.04, 0.04))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no json", "it is not JSON"),
        ('{"a": 1}', "it has no `traceEvents`"),
        ('{"traceEvents": []}', "it holds neither `ProfilerStep#` spans"),
    ],
)
def test_what_is_no_trace_is_refused(text: str, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        step_times(text)
