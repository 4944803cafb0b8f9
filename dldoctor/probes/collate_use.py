"""Whether a batch depends on a field of its samples, tried by giving each sample the field of the next one.

A field may reach the batch under another name, joined with others, or as tokens: whatever the collate makes of
it, the batch is another one then. A batch that stays the same, byte by byte, was made without the field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.probes.digest import digest, digests, pin
from dldoctor.probes.reading import SEED
from dldoctor.roles.flatten import escaped, leaves

Read = Callable[[int], "tuple[Any] | None"]
_NOT_MADE: dict[str, str] = {}


def is_used(read: Read, collate: Any, ids: Sequence[int], name: str) -> bool | None:
    """Return whether the batch of these samples depends on a field; None where that cannot be told.

    `read` reads a sample afresh, the same each time: a collate may change what it is given.
    """
    plain, again = _batch(read, collate, ids, ""), _batch(read, collate, ids, "")
    if not plain or plain != again:
        return None  # a collate that draws: whatever is changed, the batch is another one
    other = _batch(read, collate, ids, name)
    return None if other is None else other != plain


def _batch(read: Read, collate: Any, ids: Sequence[int], moved: str) -> dict[str, str] | None:
    """Return digests of a batch, empty where the collate refused it; None where nothing could be compared."""
    samples = []
    for index in ids:
        if (one := read(index)) is None:
            return None
        samples.append(one[0])
    if moved and not _move(samples, moved):
        return None
    pin(SEED)
    try:
        batch = collate(samples)
    except Exception:  # noqa: BLE001 - the user's code; to stumble over a field is to use it
        return _NOT_MADE
    found = digests(batch)
    return found if len(found) == len(leaves(batch)) else None


def _move(samples: Sequence[Any], name: str) -> bool:
    """Give each sample the field of the next one; False where that changes nothing or cannot be done."""
    if not all(isinstance(one, dict) for one in samples):
        return False
    keys = [next((key for key in one if escaped(key) == name), None) for one in samples]
    if None in keys or len(samples) < 2:
        return False
    values = [one[key] for one, key in zip(samples, keys, strict=True)]
    marks = [_mark(value) for value in values]
    if None in marks or len(set(marks)) < 2:
        return False
    for place, (one, key) in enumerate(zip(samples, keys, strict=True)):
        one[key] = values[(place + 1) % len(values)]
    return True


def _mark(value: Any) -> str | None:
    parts = digests(value)
    return digest(sorted(f"{path} {mark}" for path, mark in parts.items())) if parts else None
