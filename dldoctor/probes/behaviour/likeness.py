"""Whether two readings of a stream gave the same samples with other random numbers, or other samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dldoctor.probes.look import as_tensor

ELEMENTS = 64
LEAST = 4
"""Samples below which nothing is said."""
ALIKE = 0.5
MARGIN = 0.25
"""A sample must be so much more alike to itself in the other reading than to the sample after it."""


@dataclass(frozen=True)
class Reading:
    """The first samples that one worker got."""

    marks: list[dict[str, str]]
    """Digest of each field, sample by sample."""
    sketches: list[dict[str, list[float]]]
    """A few elements of each field that has any."""
    ids: list[int]
    """The dataset's own name for each sample; 0 where there is none."""


def sketch(leaf: Any) -> list[float] | None:
    """Return evenly spread elements of a leaf as numbers; None where it has none."""
    if isinstance(leaf, (str, bytes)):
        return [float(ord(one) if isinstance(one, str) else one) for one in leaf[:ELEMENTS]]
    if isinstance(leaf, (bool, int, float)):
        return [float(leaf)]
    try:
        tensor = as_tensor(leaf)
        if tensor is None and isinstance(leaf, (list, tuple)):
            return [float(one) for one in leaf[:ELEMENTS]]
        if tensor is None:
            return None
        flat = tensor.detach().reshape(-1)
        step = max(1, flat.numel() // ELEMENTS)
        return [float(one) for one in flat[::step][:ELEMENTS].tolist()]
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return None


def drawn_fields(before: Reading, again: Reading, disturbed: Reading) -> dict[str, tuple[int, int]]:
    """Return the fields of the same samples that differ in the disturbed reading, and else do not.

    Each with the places of one such sample in the first and in the disturbed reading.
    """
    moving = {path for a, b in _by_place(before, again) for path in _differing(before, again, a, b)}
    # What goes by the place in the stream alone (a count of steps) says nothing of its samples.
    by_place = {path for a, b in _by_place(before, disturbed) for path in _differing(before, disturbed, a, b)}
    found: dict[str, tuple[int, int]] = {}
    for a, b in _same_samples(before, disturbed, moving):
        for path in _differing(before, disturbed, a, b):
            if path in by_place and path not in moving:
                found.setdefault(path, (a, b))
    return found


def _by_place(one: Reading, other: Reading) -> list[tuple[int, int]]:
    return [(place, place) for place in range(min(len(one.marks), len(other.marks)))]


def _differing(one: Reading, other: Reading, a: int, b: int) -> list[str]:
    left, right = one.marks[a], other.marks[b]
    return [path for path in left.keys() & right.keys() if left[path] != right[path]]


def _same_samples(one: Reading, other: Reading, moving: set[str]) -> list[tuple[int, int]]:
    """Pair the places of the same samples in two readings; empty where nothing shows which are the same."""
    if all(one.ids) and len(set(one.ids)) == len(one.ids):
        places = {name: place for place, name in enumerate(other.ids)}
        found = [(place, places[name]) for place, name in enumerate(one.ids) if name in places]
        return found if len(found) >= LEAST else []
    pairs = _by_place(one, other)
    if len(pairs) < LEAST:
        return []
    paths = set(one.marks[0]) - moving
    for path in paths:
        names = [one.marks[a].get(path) for a, _ in pairs]
        if names == [other.marks[b].get(path) for _, b in pairs] and len(set(names)) >= max(
            LEAST, len(names) // 2
        ):
            return pairs
    return pairs if any(_resembles(one, other, path) for path in paths) else []


def _resembles(one: Reading, other: Reading, path: str) -> bool:
    a = [row.get(path, []) for row in one.sketches]
    b = [row.get(path, []) for row in other.sketches]
    places = range(1, min(len(a), len(b)) - 1)
    if len(places) < LEAST - 1:
        return False
    itself = sum(likeness(a[k], b[k]) for k in places) / len(places)
    next_one = sum(likeness(a[k], b[k + 1]) for k in places) / len(places)
    return itself >= ALIKE and next_one + MARGIN <= itself


def likeness(one: list[float], other: list[float]) -> float:
    """Return the share of equal elements, or the correlation if that is higher."""
    if len(one) != len(other) or not one:
        return 0.0
    equal = sum(abs(x - y) <= 1e-6 * max(1.0, abs(x)) for x, y in zip(one, other, strict=True)) / len(one)
    return equal if len(one) < 8 else max(equal, _correlation(one, other))


def _correlation(one: list[float], other: list[float]) -> float:
    mean, rest = sum(one) / len(one), sum(other) / len(other)
    a, b = [x - mean for x in one], [y - rest for y in other]
    size = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size > 0 else 0.0
