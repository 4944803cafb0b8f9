"""What a dataset keeps in memory, by attribute, estimated from a part where it is long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from dldoctor.evidence.memory_cause import Holding
from dldoctor.foreign import attribute, has
from dldoctor.probes.arrays import is_array
from dldoctor.probes.memory.containers import user_globals

_SAMPLED = 400
_ROWS = 20_000
_TYPICAL_OBJECT = 80
"""Bytes of a short text."""
_CONTAINERS = (list, tuple, dict, set, str, bytes, bytearray)
_DEPTH = 5
_INSIDE = 6
LEAST_BYTES = 64 * 1024
KEPT = 8


def holdings(dataset: Any) -> tuple[Holding, ...]:
    """Return the attributes that hold most, the largest first.

    It touches what it looks at, so it is asked in a process whose memory nobody measures.
    """
    found = []
    seen: set[int] = set()
    held = chain(_attributes(dataset, "dataset", 0, seen), _module_level(seen))
    for path, value in held:
        total, objects, python = _weigh(value, 0)
        if total >= LEAST_BYTES:
            found.append(Holding(path, type(value).__name__, int(total), int(objects), int(python)))
    return tuple(sorted(found, key=lambda one: -one.bytes)[:KEPT])


def _attributes(owner: Any, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield containers and arrays by path; objects of the user's are entered."""
    if depth > _DEPTH or id(owner) in seen:
        return
    seen.add(id(owner))
    for name, value in list(attribute(owner, "__dict__", {}).items()):
        where = f"{path}.{name}"
        if is_array(value) or _is_table(value) or isinstance(value, _CONTAINERS):
            if isinstance(value, (list, tuple)) and 0 < len(value) <= 8 and any(map(_is_object, value)):
                for position, inner in enumerate(value):
                    yield from _attributes(inner, f"{where}[{position}]", depth + 1, seen)
            elif id(value) not in seen:
                seen.add(id(value))
                yield where, value
        elif _is_object(value):
            yield from _attributes(value, where, depth + 1, seen)


def _module_level(seen: set[int]) -> Iterator[tuple[str, Any]]:
    for path, value in user_globals():
        held = is_array(value) or _is_table(value) or isinstance(value, (list, tuple, dict, set))
        if id(value) not in seen and held:
            seen.add(id(value))
            yield path, value


def _is_object(value: Any) -> bool:
    return (
        has(value, "__dict__")
        and not isinstance(value, type)
        and not callable(attribute(value, "__code__", None))
    )


def _weigh(value: Any, depth: int) -> tuple[float, float, float]:
    """Return bytes, Python objects, and bytes of those objects below a value."""
    own = sys.getsizeof(value, 64)
    if _is_table(value):
        return _weigh_table(value)
    if is_array(value):
        return _weigh_array(value, own)
    if depth >= _INSIDE:
        return own, 1, own
    parts: Iterator[Any]
    if isinstance(value, dict):
        parts, count = (part for pair in islice(value.items(), _SAMPLED) for part in pair), 2 * len(value)
    elif isinstance(value, (list, tuple)):
        step = max(1, len(value) // _SAMPLED)
        parts, count = (value[i] for i in range(0, len(value), step)), len(value)
    elif isinstance(value, (set, frozenset)):
        parts, count = islice(iter(value), _SAMPLED), len(value)
    elif _is_object(value) and not isinstance(value, (str, bytes, int, float)):
        parts, count = iter(vars(value).values()), len(vars(value))
        own += sys.getsizeof(vars(value))
    elif slots := _slots(value):
        parts, count = iter(slots), len(slots)
    else:
        return own, 1, own
    weights = [_weigh(part, depth + 1) for part in parts if not _is_small(part)]
    seen = max(1, min(count, 2 * _SAMPLED if isinstance(value, dict) else _SAMPLED))
    scale = max(1.0, count / seen) if weights else 1.0
    total, objects, python = (sum(column) for column in zip(*weights, strict=True)) if weights else (0, 0, 0)
    return own + scale * total, 1 + scale * objects, own + scale * python


def _weigh_array(value: Any, own: int) -> tuple[float, float, float]:
    if has(value, "filename") and attribute(value, "filename", None):
        return 0.0, 1, 0.0  # a memory map: pages of the file, not of this process
    if not has(type(value), "__dlpack__"):
        return float(own), 1, 0.0  # a handle (h5py, zarr): its elements are in a file
    size = attribute(value, "nbytes", 0)
    if str(value.dtype) == "object":
        flat = value.reshape(-1)
        step = max(1, len(flat) // _SAMPLED)
        weights = [_weigh(flat[i], 1) for i in range(0, len(flat), step)]
        scale = len(flat) / max(1, len(weights))
        total, objects = (scale * sum(one[k] for one in weights) for k in (0, 1))
        return size + total, 1 + objects, size + total
    return float(max(size, own)), 1, 0.0


def _is_table(value: Any) -> bool:
    """Whether a value is a table or a column of pandas or Arrow: told by what it can do, no library is imported."""
    kind = type(value)
    columns = callable(attribute(kind, "memory_usage", None)) and has(kind, "iloc")
    return columns or (has(kind, "column_names") and has(kind, "get_total_buffer_size"))


def _weigh_table(value: Any) -> tuple[float, float, float]:
    """Return what a table takes; columns of Python objects are weighed by a part of their rows."""
    if not has(type(value), "iloc"):
        return _weigh_arrow(value)
    rows = len(value)
    step = max(1, rows // _ROWS)
    part = value.iloc[::step]
    scale = rows / max(1, len(part))
    deep, flat = (_total(part.memory_usage(deep=deep)) for deep in (True, False))
    python = scale * max(0, deep - flat)
    whole = _total(value.memory_usage(deep=False)) + python
    # A column of objects is copied with its pointers left where they are: those are read, not written.
    return whole, 1 + python / _TYPICAL_OBJECT, python


def _weigh_arrow(value: Any) -> tuple[float, float, float]:
    """Return the bytes of an Arrow table, as far as Arrow took memory for it: the rest is a mapped file."""
    arrow = sys.modules.get("pyarrow")
    taken = arrow.total_allocated_bytes() if arrow is not None else 0
    return float(min(value.get_total_buffer_size(), taken)), 1, 0.0


def _total(usage: Any) -> float:
    return float(usage.sum()) if hasattr(usage, "sum") else float(usage)


def _slots(value: Any) -> list[Any]:
    """Return what the slots of an object hold."""
    if isinstance(value, (str, bytes, bytearray, int, float, complex, type)):
        return []
    names = [name for base in type(value).__mro__ for name in _names(vars(base).get("__slots__", ()))]
    return [getattr(value, name) for name in names if has(value, name)]


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _is_small(part: Any) -> bool:
    """Whether a value is one of those that all of Python shares."""
    return part is None or isinstance(part, bool) or (type(part) is int and -5 <= part <= 256)
