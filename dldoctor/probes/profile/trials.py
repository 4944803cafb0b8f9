"""Remedies, tried on the user's own data; each in a fork of its own, in turns with what is there now."""

from __future__ import annotations

import statistics
import time
from typing import Any

from dldoctor.evidence.payload import PayloadEvidence
from dldoctor.evidence.trial import Trial
from dldoctor.foreign import attribute
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.profile import crossing
from dldoctor.probes.profile.clocks import RunQueue
from dldoctor.probes.profile.payload import describe
from dldoctor.probes.profile.reads import SEED, worked_ns
from dldoctor.targets import Pipeline

MANY_TENSORS = 64
BIG_BYTES = 1 << 20
BUDGET_S = 2.5
REPEATED = 12
KEPT = 0.1
"""A second read that takes less than this share of the first comes from a cache that the dataset has already."""


def hand_over(batch: Any, payload: PayloadEvidence) -> list[Trial]:
    """Try one tensor instead of many, tensors instead of arrays, and 8 bits instead of 32."""
    total = payload.tensor_bytes + payload.pickled_bytes
    found = []
    if payload.tensors > MANY_TENSORS:
        found.append(crossing.compare("stack", batch, crossing.stacked(batch), total, total))
    if payload.pickled_bytes > BIG_BYTES:
        found.append(crossing.compare("tensors", batch, crossing.as_tensors(batch), total, total))
    if payload.floats:
        saved = sum(one.now_bytes - one.then_bytes for one in payload.floats)
        found.append(crossing.compare("uint8", batch, crossing.as_bytes(batch), total, total - saved))
    return [one for one in found if one is not None]


class _Counter:
    """A file that only counts."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: Any) -> int:
        length = len(data) if isinstance(data, (bytes, bytearray)) else memoryview(data).nbytes
        self.size += length
        return length


def pickled(dataset: Any) -> Trial | None:
    """Return what the dataset costs to send to one worker, by attribute."""
    import pickle
    from multiprocessing.reduction import ForkingPickler

    def cost(value: Any) -> tuple[int, int]:
        counter = _Counter()
        started = time.thread_time_ns()
        ForkingPickler(counter, pickle.HIGHEST_PROTOCOL).dump(value)
        return counter.size, time.thread_time_ns() - started

    try:
        size, took = cost(dataset)
    except Exception:  # noqa: BLE001 - the user's objects may refuse; that is another rule's
        return None
    parts = []
    for name, value in list(attribute(dataset, "__dict__", {}).items())[:50]:
        try:
            part, spent = cost(value)
        except Exception:  # noqa: BLE001, S112 - the user's objects; the whole did go through
            continue
        parts.append((name, part, spent))
    # A byte is about a nanosecond more on its way, which counting it does not take.
    parts.sort(key=lambda one: -(one[1] + one[2]))
    return Trial("pickle", took, 0, 1.0, 1.0, 1.0, 1, "worker", True, size, 0, "", tuple(parts[:5]))


def started(loader: Any, measured_ns: int, usual_ns: int) -> Trial:
    """Start the workers again: what they take by chance they do not take each time."""
    taken = []
    for _ in range(2):
        begin = time.perf_counter_ns()
        iterator = iter(loader)
        next(iterator, None)
        taken.append(max(1, time.perf_counter_ns() - begin - usual_ns))
        del iterator
    least = min(taken)
    return Trial("start", measured_ns, least, measured_ns / least, 1.0, 1.0, len(taken), "epoch")


def again(dataset: Any, slow: list[tuple[int, int]]) -> Trial | None:
    """Read samples again that were slow: what was slow by chance is not slow twice."""
    parts: list[tuple[str, int, int]] = []
    queue = RunQueue()
    started = time.monotonic()
    for index, first in slow[:5]:
        parts.append((str(index), first, round(min(worked_ns(dataset, index, queue) for _ in range(2)))))
        if time.monotonic() - started > BUDGET_S:
            break
    if not parts:
        return None
    now = sum(part[1] for part in parts) // len(parts)
    then = sum(part[2] for part in parts) // len(parts)
    return Trial("again", now, then, now / max(1, then), 1.0, 1.0, len(parts), "sample", parts=tuple(parts))


def cached(pipeline: Pipeline, sample_ns: int) -> Trial | None:
    """Read items twice with other random numbers: what stays the same could be kept.

    Each item has random numbers of its own, since a flip falls the same way for half of all pairs.
    """
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    count = min(REPEATED, length)
    indices = [length * part // count for part in range(count)]
    started = time.monotonic()
    size = 0
    first_ns, second_ns = list[int](), list[int]()
    for number, index in enumerate(indices):
        pin(SEED + 2 * number)
        at = time.perf_counter_ns()
        first = dataset[index]
        between = time.perf_counter_ns()
        pin(SEED + 2 * number + 1)
        again_at = time.perf_counter_ns()
        second = dataset[index]
        second_ns.append(time.perf_counter_ns() - again_at)
        first_ns.append(between - at)
        if digests(first) != digests(second):
            return None
        payload = describe(first)
        size += payload.tensor_bytes + payload.pickled_bytes
        if time.monotonic() - started > BUDGET_S:
            break
    # One read that had to wait for a core must not look like many that were kept.
    if not indices or statistics.median(second_ns) < KEPT * statistics.median(first_ns):
        return None
    each = size // len(indices)
    # Taking a copy of a kept sample costs its bytes through memory, at some GB/s.
    left = each // 4 + 2_000
    ratio = sample_ns / max(1, left)
    return Trial(
        "cache", sample_ns, left, ratio, ratio, ratio, len(indices), "sample", False, each, each * length
    )
