"""Turns the keys of streamed samples into numbers from 0, the same for all ranks."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from typing import Any, Literal

from dldoctor.probes.sharding.seen import Seen
from dldoctor.probes.sharding.streams import WorkerLog

EXACT = 10_000_000
"""Samples up to which each id is counted; above, ids are taken by their hash."""
_OWN, _QUIET, _FULL = range(3)
_UNIQUE = 0.99
_AS_DISTINCT = 0.9

Logs = dict[tuple[int, int], dict[int, WorkerLog]]
"""Rank and epoch to worker to what it noted."""


@dataclass
class Numbers:
    """Key to number."""

    by: Literal["own-id", "content", "nothing"]
    which: int
    places: dict[int, int]
    names: dict[int, str]
    """Names of items, by number, as far as they are known."""
    scale: int = 1

    @property
    def size(self) -> int:
        """Different items."""
        return len(self.places)

    def name(self, number: int) -> str:
        """Return how a person would call an item."""
        return self.names.get(number, f"item {number}")

    def seen(self, parts: list[array[int]]) -> Seen:
        """Count the samples whose three keys stand in some arrays."""
        found = Seen(self.size)
        for part in parts:
            own = part[self.which :: 3]
            found.add(array("q", [self.places[key] for key in own if key % self.scale == 0]))
        return found

    def order(self, parts: list[array[int]]) -> str:
        """Return a digest of the samples in their order, worker by worker."""
        digest = hashlib.blake2b(digest_size=12)
        for part in parts:
            digest.update(part[self.which :: 3].tobytes() + b"|")
        return digest.hexdigest()


def choose(logs: Logs, reference: list[WorkerLog]) -> Numbers:
    """Choose the key that names samples best, and number all that were met."""
    whole = [log for workers in logs.values() for log in workers.values()] + reference
    which = _which(whole)
    stable = which is not None and _is_stable(logs, reference, which)
    if which != _OWN and not stable:
        other = {_QUIET: _FULL, _FULL: _QUIET}.get(which if which is not None else -1)
        if other is not None and _tells_apart(whole, other) and _is_stable(logs, reference, other):
            which, stable = other, True
    if which is None or not stable:
        return Numbers("nothing", _FULL, _places(whole, _FULL, 1), {})
    total = sum(len(log.keys) // 3 for log in whole)
    scale = 1
    while total // scale > EXACT:
        scale *= 2
    places = _places(whole, which, scale)
    return Numbers(
        "own-id" if which == _OWN else "content", which, places, _names(whole, which, places), scale
    )


def _which(logs: list[WorkerLog]) -> int | None:
    """Return the first key that each worker's samples have and mostly do not share."""
    if not any(len(log.keys) for log in logs):
        return None
    if _tells_apart(logs, _OWN):
        return _OWN
    quiet = _distinct(logs, _QUIET)
    if all(key for log in logs for key in log.keys[_QUIET::3]) and quiet >= _AS_DISTINCT * _distinct(
        logs, _FULL
    ):
        return _QUIET
    return _FULL


def _tells_apart(logs: list[WorkerLog], which: int) -> bool:
    longest = max(logs, key=lambda log: len(log.keys))
    keys = longest.keys[which::3]
    if not len(keys) or not all(keys):
        return False
    distinct = len(set(keys))
    if which != _OWN or distinct >= _UNIQUE * len(keys):
        return distinct >= _UNIQUE * len(keys)
    # Repeated samples repeat their id; an id of something larger (an image of several questions) does not
    # tell all that the quiet content tells.
    quiet = set(longest.keys[_QUIET::3])
    return 0 not in quiet and distinct >= _UNIQUE * len(quiet)


def _distinct(logs: list[WorkerLog], which: int) -> int:
    longest = max(logs, key=lambda log: len(log.keys))
    return len(set(longest.keys[which::3]))


def _is_stable(logs: Logs, reference: list[WorkerLog], which: int) -> bool:
    """Whether reading again meets any sample again: content that is made at random never comes back."""
    by_epoch: dict[int, set[int]] = {}
    for (_, epoch), workers in logs.items():
        for log in workers.values():
            by_epoch.setdefault(epoch, set()).update(log.keys[which::3])
    readings = [*by_epoch.values(), {key for log in reference for key in log.keys[which::3]}]
    filled = [one for one in readings if one]
    return len(filled) < 2 or bool(filled[0] & filled[1]) or bool(filled[0] & filled[-1])


def _places(logs: list[WorkerLog], which: int, scale: int) -> dict[int, int]:
    """Number keys in the order of the one process that read everything (last here), then of the ranks."""
    places: dict[int, int] = {}
    for log in reversed(logs):
        for part in (log.keys, log.left):
            for key in part[which::3]:
                if key % scale == 0:
                    places.setdefault(key, len(places))
    return places


def _names(logs: list[WorkerLog], which: int, places: dict[int, int]) -> dict[int, str]:
    names: dict[int, str] = {}
    for log in logs:
        keys: Any = list(log.keys[which::3]) + list(log.left[which::3])
        for key, name in zip(keys, log.first, strict=False):
            if key in places and name:
                names[places[key]] = name
    return names
