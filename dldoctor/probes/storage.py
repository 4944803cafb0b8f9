"""Finds the stored array, tensor or container of a dataset that reading an item changed."""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.arrays import is_array, shape_of
from dldoctor.probes.digest import digest

_DEPTH = 4
_NODES = 2000
_ITEMS = 64
_SKIPPED = ("Generator", "RandomState", "Random", "BitGenerator", "Lock", "RLock")


def snapshot(dataset: Any, index: int) -> dict[str, str]:
    """Return attribute path to digest of what the dataset stores, near `index` where it is long.

    Only entries that exist are noted: a cache that gains an entry changes nothing that was there.
    """
    found: dict[str, str] = {}
    _walk(dataset, "dataset", index, 0, found, set())
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> str | None:
    """Return the first path whose content is another one now."""
    return next((path for path, value in before.items() if _is_other(path, value, after)), None)


def _is_other(path: str, value: str, after: dict[str, str]) -> bool:
    # What is gone from a row was taken out by the read; what is gone from a cache was evicted.
    return after[path] != value if path in after else path.count("[") > 1


def _walk(value: Any, path: str, index: int, depth: int, found: dict[str, str], seen: set[int]) -> None:
    if depth > _DEPTH or len(found) > _NODES or id(value) in seen or type(value).__name__ in _SKIPPED:
        return
    seen.add(id(value))
    if is_array(value):
        _note_array(value, path, index, found)
    elif has(type(value), "getbands") or (isinstance(value, (str, bytes, int, float)) and path.endswith("]")):
        found[path] = digest(value) or ""
    else:
        for part, inner in _parts(value, index, in_row="[" in path):
            _walk(inner, path + part, index, depth + 1, found, seen)


def _parts(value: Any, index: int, *, in_row: bool) -> list[tuple[str, Any]]:
    """Return what a container or object holds, near `index` where it is long."""
    if isinstance(value, dict):
        keys = list(value)[:_ITEMS]
        keys += [index] if index in value and index not in keys else []
        # Numbers under a name are counters and settings, unless the mapping is a row of the data.
        kept = [k for k in keys if in_row or not (isinstance(k, str) and isinstance(value[k], (int, float)))]
        return [(f"[{key!r}]", value[key]) for key in kept]
    if isinstance(value, (list, tuple)):
        positions = sorted({*range(min(len(value), 8)), *_near(index, len(value))})
        return [(f"[{position}]", value[position]) for position in positions]
    if has(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return [(f".{name}", attribute) for name, attribute in list(vars(value).items())[:200]]
    return []


def _near(index: int, length: int) -> list[int]:
    return [i for i in (index, index - 1, index + 1) if 0 <= i < length]


def _note_array(value: Any, path: str, index: int, found: dict[str, str]) -> None:
    try:
        rows = (shape_of(value) or (0,))[0]
        part = value[index] if 0 <= index < rows else value
        text = digest(part)
    except Exception:  # noqa: BLE001 - the user's object
        return
    if text is not None:
        found[path] = text
