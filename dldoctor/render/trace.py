"""The first batches as a Chrome trace, which Perfetto opens and the TensorBoard profiler plugin reads.

That plugin counts as loader time only events named and categorised as torch writes them, so the
consumer's waits are given that form; categories that it does not know it skips.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dldoctor.evidence.profile import BatchTimes, ProfileEvidence
from dldoctor.render.clean_text import clean
from dldoctor.report import Report

PID = 1
CONSUMER, QUEUE, WORKERS = 1, 2, 10
"""Thread numbers: the consumer, what is on its way, and the workers from 10 on."""


def chrome_trace(report: Report) -> str:
    """Return the trace, which is empty of events where nothing was profiled."""
    profile = report.evidence.profile
    events = list(_events(profile, report)) if profile else []
    whole = {
        "schemaVersion": 1,
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {"target": clean(report.target, 200)},
    }
    return json.dumps(whole, separators=(",", ":"))


def _events(profile: ProfileEvidence, report: Report) -> Iterator[dict[str, Any]]:
    yield _named("process_name", f"dldoctor {clean(report.target, 80)}", 0)
    yield _named("thread_name", "consumer", CONSUMER)
    yield _named("thread_name", "on the way", QUEUE)
    for worker in sorted({one.worker for one in profile.timeline}):
        yield _named(
            "thread_name", f"worker {worker}" if worker >= 0 else "main process reads", WORKERS + worker
        )
    kind = "_MultiProcessingDataLoaderIter" if profile.num_workers else "_SingleProcessDataLoaderIter"
    batches = profile.timeline
    for place, one in enumerate(batches):
        yield _event(
            f"enumerate(DataLoader)#{kind}.__next__",
            "cpu_op",
            CONSUMER,
            one.asked_ns,
            one.delivered_ns,
            number=one.number,
        )
        end = batches[place + 1].asked_ns if place + 1 < len(batches) else one.delivered_ns + 1000
        if end > one.asked_ns:
            yield _event(f"ProfilerStep#{place}", "user_annotation", CONSUMER, one.asked_ns, end)
        yield from _worker_events(one)


def _worker_events(one: BatchTimes) -> Iterator[dict[str, Any]]:
    thread = WORKERS + one.worker
    yield _event(f"batch {one.number}", "worker", thread, one.start_ns, one.collated_ns, number=one.number)
    for name, start, end in one.samples:
        yield _event(f"sample {clean(name, 40)}", "sample", thread, start, end)
    if one.collated_ns > one.fetched_ns:
        yield _event("collate", "worker", thread, one.fetched_ns, one.collated_ns)
    spans = (
        ("serialise", one.sending_ns, one.sent_ns),
        ("queue", one.sent_ns, one.receiving_ns),
        ("deserialise", one.receiving_ns, one.received_ns),
    )
    for name, start, end in spans:
        if start and end > start:
            yield _event(
                f"{name} {one.number}",
                "hand-over",
                QUEUE + (1 + one.number % 6 if name != "deserialise" else 0),
                start,
                end,
            )


def _named(what: str, name: str, thread: int) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": PID, "tid": thread, "args": {"name": name}}


def _event(name: str, category: str, thread: int, start: int, end: int, **facts: Any) -> dict[str, Any]:
    return {
        "ph": "X", "cat": category, "name": name, "pid": PID, "tid": thread,
        "ts": start / 1e3, "dur": max(0, end - start) / 1e3, "args": facts,
    }  # fmt: skip
