"""What the process that made a batch says about it; travels beside the batch as bytes made by `marshal`."""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple

from dldoctor.probes.profile.entry_points import Opened, Resized
from dldoctor.probes.profile.spans import Spent


class Group(NamedTuple):
    """Samples that were fetched together, mostly one."""

    ids: tuple[Any, ...]
    start_ns: int
    end_ns: int
    spent: tuple[Spent, ...]
    pilot: bool
    """Its functions got fewer timers afterwards: its spans are too long."""
    failed: bool
    files: int
    """Files opened through Python."""


class KeyName(NamedTuple):
    """What a key stands for."""

    name: str
    path: str
    line: int
    text: str
    stage: str


class BatchRecord(NamedTuple):
    """All that the process that made a batch says about it."""

    worker: int
    groups: tuple[Group, ...]
    collate_start_ns: int
    collate_end_ns: int
    collate: tuple[Spent, ...]
    failure: str | None
    names: dict[int, KeyName]
    """Keys that are new since the last record."""
    opened: tuple[Opened, ...]
    resized: tuple[Resized, ...]
    read_bytes: tuple[int, int]
    """From the device, and asked for, since the process began."""
    cpu_ns: tuple[int, int]
    """Of the process and of its main thread, since the process began."""
    cores_wanted: tuple[int, int, int]
    """Nanoseconds in which threads of the process wanted a core, of these without one, and those that passed.

    Summed over all threads, since it was last looked at; zeros where it was not.
    """
    own_ns: int
    """What observing cost so far."""
    unseen: tuple[tuple[str, str], ...]
    left_alone: tuple[tuple[str, int], ...]
    other_threads: bool


def unpack(packed: bytes) -> BatchRecord:
    """Return the record of one batch."""
    data = marshal.loads(packed)  # noqa: S302 - our own bytes, from our own worker
    groups = tuple(
        Group(tuple(ids), start, end, tuple(Spent(*one) for one in spent), pilot, failed, files)
        for ids, start, end, spent, pilot, failed, files in data[1]
    )
    return BatchRecord(
        data[0],
        groups,
        data[2],
        data[3],
        tuple(Spent(*one) for one in data[4]),
        data[5],
        {key: KeyName(*name) for key, name in data[6].items()},
        tuple(Opened(*one) for one in data[7]),
        tuple(Resized(*one) for one in data[8]),
        tuple(data[9]),
        tuple(data[10]),
        tuple(data[11]),
        data[12],
        tuple((path, why) for path, why in data[13]),
        tuple((name, count) for name, count in data[14]),
        data[15],
    )
