"""Stamps beside the batch: pickle visits them in order, and so tells when it was at the batch.

The first stamp is pickled before the batch and the second after it, in the worker's feeder thread;
both are rebuilt in that order where the batch is received, and pinned in that order.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any, NamedTuple


class Stamp:
    """One side of the batch."""

    __slots__ = ("pinned_ns", "received_ns", "sent_cpu_ns", "sent_ns", "thread_cpu_ns")

    def __init__(self, sent_ns: int = 0, sent_cpu_ns: int = 0, *, received: bool = False) -> None:
        """Note the time where this is made while a batch is received."""
        self.sent_ns = sent_ns
        self.sent_cpu_ns = sent_cpu_ns
        self.received_ns = time.perf_counter_ns() if received else 0
        self.thread_cpu_ns = time.thread_time_ns() if received else 0
        self.pinned_ns = 0

    def __reduce_ex__(self, _protocol: Any) -> tuple[Any, ...]:
        """Note the time at which pickle comes by."""
        return _received, (time.perf_counter_ns(), time.thread_time_ns())

    def pin_memory(self, *_: Any) -> Stamp:
        """Note the time at which pinning comes by."""
        self.pinned_ns = time.perf_counter_ns()
        return self


def _received(sent_ns: int, sent_cpu_ns: int) -> Stamp:
    return Stamp(sent_ns, sent_cpu_ns, received=True)


class TimedEnvelope(NamedTuple):
    """A batch between its stamps. A named tuple, because torch's pinning walks one in order."""

    before: Stamp
    batch: Any
    after: Stamp
    record: bytes


class TimedAside:
    """A batch that travels with stamps and is rebuilt as the bare batch, for loaders that handle it."""

    def __init__(self, batch: Any, record: bytes) -> None:
        """Hold both until pickle takes them."""
        self.batch = batch
        self.record = record

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a call that files the stamps and returns the batch."""
        return file_aside, (Stamp(), self.batch, Stamp(), self.record)


class Arrived(NamedTuple):
    """What came beside a batch."""

    before: Stamp
    after: Stamp
    record: bytes


AWAY: deque[Arrived] = deque(maxlen=8192)
"""What came beside batches that arrived bare, in order of arrival."""


def file_aside(before: Stamp, batch: Any, after: Stamp, record: bytes) -> Any:
    """Keep the stamps and return the batch."""
    AWAY.append(Arrived(before, after, record))
    return batch
