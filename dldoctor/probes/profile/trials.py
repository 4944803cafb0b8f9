"""Remedies, tried on the user's own data; each in a fork of its own, in turns with what is there now."""

from __future__ import annotations

import itertools
import random
import sys
import time
from typing import Any

from dldoctor.evidence.profile import PayloadEvidence, Trial
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.profile import crossing
from dldoctor.probes.profile.payload import describe
from dldoctor.probes.profile.ratios import trial_of
from dldoctor.targets import Pipeline

MANY_TENSORS = 64
BIG_BYTES = 1 << 20
BUDGET_S = 2.5
SEED = 101


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
    for name, value in list(getattr(dataset, "__dict__", {}).items())[:50]:
        try:
            part, spent = cost(value)
        except Exception:  # noqa: BLE001, S112 - the user's objects; the whole did go through
            continue
        parts.append((name, part, spent))
    # A byte is about a nanosecond more on its way, which counting it does not take.
    parts.sort(key=lambda one: -(one[1] + one[2]))
    return Trial("pickle", took, 0, 1.0, 1.0, 1.0, 1, "worker", True, size, 0, "", tuple(parts[:5]))


def sequential(pipeline: Pipeline) -> Trial | None:
    """Read blocks of items in a row and blocks at random places, in turns; items are read once."""
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    block, rounds = 16, 8
    if length < 2 * block * rounds:
        block = max(4, length // (2 * rounds))
    if length < 2 * block * rounds:
        return None
    picker = random.Random(SEED)  # noqa: S311 - a choice of items is no secret
    chunks = list(range(0, length - block + 1, block))
    picker.shuffle(chunks)
    rows = chunks[:rounds]
    held = {row // block for row in rows}
    rest = [index for index in range(length) if index // block not in held]
    places = picker.sample(rest, min(len(rest), block * rounds))
    started = time.monotonic()
    pairs = []
    _ = dataset[rows[0]]  # what is opened lazily is opened now
    for number in range(rounds):
        one, other = (
            list(range(rows[number], rows[number] + block)),
            places[number * block : (number + 1) * block],
        )
        if len(other) < block:
            break
        if number % 2:
            ordered, scattered = _read_ns(dataset, one), _read_ns(dataset, other)
        else:
            scattered, ordered = _read_ns(dataset, other), _read_ns(dataset, one)
        pairs.append((scattered, ordered))
        if number >= 3 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of("sequential", pairs, per="sample")


def _read_ns(dataset: Any, indices: list[int]) -> float:
    started = time.perf_counter_ns()
    for index in indices:
        _ = dataset[index]
    return (time.perf_counter_ns() - started) / len(indices)


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
    started = time.monotonic()
    for index, first in slow[:5]:
        parts.append((str(index), first, round(min(_read_ns(dataset, [index]) for _ in range(2)))))
        if time.monotonic() - started > BUDGET_S:
            break
    if not parts:
        return None
    now = sum(part[1] for part in parts) // len(parts)
    then = sum(part[2] for part in parts) // len(parts)
    return Trial("again", now, then, now / max(1, then), 1.0, 1.0, len(parts), "sample", parts=tuple(parts))


def cached(pipeline: Pipeline, sample_ns: int) -> Trial | None:
    """Read items twice with other random numbers: what stays the same could be kept."""
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    indices = [length * part // 6 for part in range(6)] if length >= 6 else list(range(length))
    started = time.monotonic()
    size = 0
    for index in indices:
        pin(SEED)
        first = dataset[index]
        pin(SEED + 1)
        second = dataset[index]
        if digests(first) != digests(second):
            return None
        payload = describe(first)
        size += payload.tensor_bytes + payload.pickled_bytes
        if time.monotonic() - started > BUDGET_S:
            break
    if not indices:
        return None
    each = size // len(indices)
    # Taking a copy of a kept sample costs its bytes through memory, at some GB/s.
    left = each // 4 + 2_000
    ratio = sample_ns / max(1, left)
    return Trial(
        "cache", sample_ns, left, ratio, ratio, ratio, len(indices), "sample", False, each, each * length
    )


def draft(pipeline: Pipeline, width: int, height: int) -> Trial | None:
    """Let Pillow decode JPEG at the size that is used, on the same items in turns."""
    image: Any = sys.modules.get("PIL.Image")
    length = pipeline.spec.dataset_length or 0
    if image is None or length < 3:
        return None
    original = image.open
    reduced = [0]

    def opened(*args: Any, **options: Any) -> Any:
        found = original(*args, **options)
        before = found.size
        found.draft(None, (width, height))
        reduced[0] += found.size != before
        return found

    def read(index: int, with_draft: bool) -> float:
        image.open = opened if with_draft else original
        pin(SEED)
        try:
            return _read_ns(pipeline.dataset, [index])
        finally:
            image.open = original

    pairs = []
    started = time.monotonic()
    _ = read(0, False)
    for number, index in enumerate(itertools.islice(range(0, length, max(1, length // 10)), 10)):
        if number % 2:
            now = read(index, False)
            then = read(index, True)
        else:
            then = read(index, True)
            now = read(index, False)
        pairs.append((now, then))
        if number >= 3 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of("draft", pairs, per="sample", detail=f"{width}x{height}") if reduced[0] else None
