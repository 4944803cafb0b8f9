"""Reads items of the user's in other ways than the run did: in a row, alone, from the device and from the page cache."""

from __future__ import annotations

import itertools
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from dldoctor.evidence.trial import Trial
from dldoctor.page_cache import evict
from dldoctor.probes.profile.clocks import RunQueue
from dldoctor.probes.profile.ratios import trial_of, unpaired
from dldoctor.targets import Pipeline

BUDGET_S = 2.5
SEED = 101
ALONE = 24
COLD = 12
COLD_BYTES = 1 << 31
"""Larger files are not dropped from the page cache: others may be reading them."""
WARM = 0.1
"""Share of the bytes that may come from a device where reading is called warm."""


def items_of(pipeline: Pipeline, count: int) -> Iterator[Any]:
    """Yield items spread over the dataset, or the first ones of a stream."""
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    if pipeline.spec.kind != "map":
        yield from itertools.islice(iter(dataset), count)
        return
    for part in range(min(count, length)):
        yield dataset[length * part // min(count, length)]


def read_ns(dataset: Any, indices: Sequence[int]) -> float:
    """Return what reading one of these items takes."""
    started = time.perf_counter_ns()
    for index in indices:
        _ = dataset[index]
    return (time.perf_counter_ns() - started) / len(indices)


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
    _ = dataset[rows[0]]  # what is opened lazily is opened now
    started, before = time.monotonic(), _bytes_read()
    pairs = []
    for number in range(rounds):
        one, other = (
            list(range(rows[number], rows[number] + block)),
            places[number * block : (number + 1) * block],
        )
        if len(other) < block:
            break
        if number % 2:
            ordered, scattered = read_ns(dataset, one), read_ns(dataset, other)
        else:
            scattered, ordered = read_ns(dataset, other), read_ns(dataset, one)
        pairs.append((scattered, ordered))
        if number >= 3 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of("sequential", pairs, per="sample", detail=_source(before, _bytes_read()))


def _bytes_read() -> tuple[int, int]:
    """Return bytes that this process had from a device, and bytes that it asked for."""
    try:
        with open("/proc/self/io", "rb") as file:
            words = file.read().split()
        return int(words[words.index(b"read_bytes:") + 1]), int(words[words.index(b"rchar:") + 1])
    except (OSError, ValueError, IndexError):
        return 0, 0


def _source(before: tuple[int, int], after: tuple[int, int]) -> str:
    device, asked = after[0] - before[0], after[1] - before[1]
    if device <= 0 and asked <= 0:
        return ""
    return "cached" if device <= WARM * asked else "from the device"


def alone(pipeline: Pipeline, known: set[int], waited: Sequence[float]) -> Trial | None:
    """Read items that the run did not read in one process alone: what waits less there waits for the others."""
    length = pipeline.spec.dataset_length or 0
    picker = random.Random(SEED)  # noqa: S311 - a choice of items is no secret
    fresh = [index for index in range(length) if index not in known] if length <= 1_000_000 else []
    indices = picker.sample(fresh, min(ALONE + 1, len(fresh)))
    if len(indices) < 9 or len(waited) < 9:
        return None
    queue = RunQueue()
    found = []
    started = time.monotonic()
    for index in indices:
        found.append(_waited_ns(pipeline.dataset, index, queue))
        if len(found) > 9 and time.monotonic() - started > BUDGET_S:
            break
    # The first one opens what is opened lazily.
    return unpaired("alone", list(waited), found[1:], per="sample")


def worked_ns(dataset: Any, index: int, queue: RunQueue) -> float:
    """Return what one item takes, without waiting for a core: that is the machine's doing, not the item's."""
    start, queued = time.perf_counter_ns(), queue.read()
    _ = dataset[index]
    return float(time.perf_counter_ns() - start - (queue.read() - queued))


def _waited_ns(dataset: Any, index: int, queue: RunQueue) -> float:
    """Return for how long one item was neither on a core nor waiting for one."""
    start, used, queued = time.perf_counter_ns(), time.thread_time_ns(), queue.read()
    _ = dataset[index]
    passed = time.perf_counter_ns() - start
    return float(max(0, passed - (time.thread_time_ns() - used) - (queue.read() - queued)))


def cold(pipeline: Pipeline, known: Sequence[str]) -> Trial | None:
    """Read items with their files dropped from the page cache, and again from it; nothing is written.

    None where items have no files that we know of. Where they cannot be dropped the trial has no pairs, and says why.
    """
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    opened: list[str] = []
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" and args else None)
    pairs: list[tuple[float, float]] = []
    started = time.monotonic()
    for index in items_at(length, COLD):
        del opened[:]
        _ = dataset[index]
        files = _files([*opened, *known])
        if not files:
            return None
        if sum(size for _, size in files) > COLD_BYTES:
            return _untried("the files are too large to be dropped from the page cache")
        if not evict(files):
            return _untried("the page cache could not be emptied of the files")
        pairs.append((read_ns(dataset, [index]), read_ns(dataset, [index])))
        if len(pairs) > 3 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of("cold", pairs, per="sample")


def items_at(length: int, count: int) -> list[int]:
    """Return `count` indices at random places."""
    picker = random.Random(SEED)  # noqa: S311 - a choice of items is no secret
    return picker.sample(range(length), min(count, length))


def _files(paths: Sequence[str]) -> list[tuple[str, int]]:
    """Return regular files among these paths, and those that are open for reading, with their sizes."""
    found: dict[str, int] = {}
    for path in [*paths, *_held()]:
        real = os.path.realpath(path)
        if os.path.isfile(real) and not real.startswith(("/proc/", "/dev/", "/sys/")):
            found[real] = os.path.getsize(real)
    code = (".py", ".pyc", ".so")
    return [(path, size) for path, size in found.items() if size and not path.endswith(code)]


def _held() -> list[str]:
    """Return what is open for reading only; standard streams, and what we write to ourselves, are not."""
    if not os.path.isdir("/proc/self/fd"):
        return []
    import fcntl

    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            flags = fcntl.fcntl(int(name), fcntl.F_GETFL)
        except OSError:  # the listing itself, closed by now
            continue
        if int(name) > 2 and flags & os.O_ACCMODE == os.O_RDONLY:
            found.append(f"/proc/self/fd/{name}")
    return found


def _untried(why: str) -> Trial:
    return Trial("cold", 0, 0, 1.0, 1.0, 1.0, 0, "sample", detail=why)
