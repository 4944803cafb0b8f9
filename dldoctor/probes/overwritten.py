"""Samples that change after they were read: the dataset hands out one buffer again and again.

The samples of a process's first batch are looked at when they are read and once more when all of
them were, just before they are collated. What differs then was written over by a later read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dldoctor.probes.glance import Glance
from dldoctor.probes.look import Look, look


class Kept(NamedTuple):
    """One field of one sample, as it was when it was read."""

    id: Any
    path: str
    leaf: Any
    digest: int


class Overwritten(NamedTuple):
    """One field of the samples of a first batch; a named tuple, since `marshal` takes its parts."""

    path: str
    compared: int
    """Samples whose field was looked at twice."""
    changed: tuple[Any, ...]
    """Ids of those that were other values by then."""
    contents: int
    """Different contents among the compared, when they were read."""
    contents_left: int
    """Different contents among them, when they were collated."""


class FirstBatch:
    """The samples of a first batch, which the loader holds as long."""

    def __init__(self) -> None:
        """Start with none."""
        self._kept: list[Kept] = []

    def keep(self, sample_id: Any, seen: Glance, objects: list[Any], looks: tuple[Look | None, ...]) -> None:
        """Keep one sample that was looked at."""
        for part, leaf, found, value in zip(seen.layout, objects, looks, seen.values, strict=True):
            # A number or a text that was handed out stays what it was.
            if found is not None and value is None:
                self._kept.append(Kept(sample_id, part[0], leaf, found.digest))

    def take(self) -> tuple[Overwritten, ...]:
        """Return what became of each field since, and let go of the samples."""
        kept, self._kept = self._kept, []
        by_path: dict[str, list[Kept]] = {}
        for one in kept:
            by_path.setdefault(one.path, []).append(one)
        return tuple(_compare(path, fields) for path, fields in by_path.items())


def _compare(path: str, kept: list[Kept]) -> Overwritten:
    looks = [look(one.leaf) for one in kept]
    now = [None if found is None else found.digest for found in looks]
    changed = tuple(
        one.id for one, digest in zip(kept, now, strict=True) if digest is not None and digest != one.digest
    )
    return Overwritten(path, len(kept), changed, len({one.digest for one in kept}), len(set(now)))
