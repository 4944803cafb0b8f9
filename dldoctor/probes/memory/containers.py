"""Containers that can be reached by name: how long they are, without looking inside long ones.

Only lengths are asked for: walking the items of a list would write their reference counts, and so
cause the very copying that is watched.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from dldoctor.foreign import attribute, has
from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import is_first_party

_DEPTH = 4
_NODES = 600
_FEW = 32
"""Containers up to this length are looked into."""
_OURS = "dldoctor."
"""Stand-ins of ours; what they stand for has a name of its own."""
_LRU_CACHE = type(functools.lru_cache(int))
_SKIPPED = {"module", "type", "mappingproxy", "Logger"}


class Roots(NamedTuple):
    """Where names begin."""

    dataset: Any
    collate: Any
    loader: Any = None
    """The outer loader, where it is no plain DataLoader; null otherwise."""


def lengths(roots: Roots) -> dict[str, tuple[str, int]]:
    """Return path to ``(type, length)`` of each container below the dataset, the collate and the user's modules."""
    found: dict[str, tuple[str, int]] = {}
    seen: set[int] = set()
    starts = [("dataset", roots.dataset), ("collate_fn", roots.collate), ("loader", roots.loader)]
    for name, value in [*starts, *user_globals()]:
        _walk(value, name, 0, found, seen)
    return found


def user_modules() -> Iterator[tuple[str, ModuleType]]:
    """Yield the user's own modules, by the name under which paths show them."""
    for name in _user_modules.names():
        module = sys.modules.get(name)
        if module is not None:
            yield name.rpartition(".")[2], module


def user_globals() -> Iterator[tuple[str, Any]]:
    """Yield what the user's own modules hold, by name."""
    for shown, module in user_modules():
        for key, value in list(vars(module).items()):
            if not key.startswith("__"):
                yield f"{shown}.{key}", value


class _UserModules:
    """The names of the user's modules; only what was loaded since the last question is looked at.

    A look writes the reference count of the module. Of some thousand modules that would copy
    megabytes of pages in a process that was forked.
    """

    def __init__(self) -> None:
        self._known = 0
        self._found: list[str] = []

    def names(self) -> tuple[str, ...]:
        fresh = list(islice(reversed(sys.modules), max(0, len(sys.modules) - self._known)))
        self._known = len(sys.modules)
        for name in reversed(fresh):
            module = sys.modules.get(name)
            # Libraries make modules of their own kinds, with paths that lead nowhere.
            file = vars(module).get("__file__") if type(module) is ModuleType else None
            if isinstance(file, str) and os.path.isabs(file) and is_first_party(file):
                self._found.append(name)
        return tuple(self._found)


_user_modules = _UserModules()


def _walk(value: Any, path: str, depth: int, found: dict[str, tuple[str, int]], seen: set[int]) -> None:
    kind = type(value).__name__
    if depth > _DEPTH or len(found) > _NODES or id(value) in seen or kind in _SKIPPED:
        return
    if value is None or isinstance(value, (str, bytes, int, float)):
        return
    if type(value).__module__.startswith(_OURS):
        return
    seen.add(id(value))
    length = length_of(value)
    if length is not None:
        found[path] = (kind, length)
        if isinstance(value, type):
            return
    for name, inner in _inside(value, length):
        _walk(inner, path + name, depth + 1, found, seen)


def length_of(value: Any) -> int | None:
    """Return the length of a container, of a function's cache, or the bytes of an array; None for others."""
    if _is_cached(value):
        try:
            return int(value.cache_info().currsize)
        except Exception:  # noqa: BLE001 - the user's code
            return None
    if isinstance(value, (list, dict, set, tuple, bytearray)) or _is_deque(value):
        return len(value)
    size = attribute(value, "nbytes", None)
    return size if type(size) is int and is_array(value) else None


def _is_cached(value: Any) -> bool:
    """Whether a value is a function with a cache of its own kind: of functools, or a wrapper that says so."""
    if isinstance(value, _LRU_CACHE):
        return True
    return type(value) is FunctionType and "cache_info" in vars(value)


def _is_deque(value: Any) -> bool:
    return type(value).__name__ in ("deque", "array", "Queue", "SimpleQueue") and has(value, "__len__")


def _inside(value: Any, length: int | None) -> Iterator[tuple[str, Any]]:
    if is_array(value):
        return
    if isinstance(value, dict):
        if (length or 0) <= _FEW:
            yield from ((f"[{key!r}]"[:60], inner) for key, inner in list(value.items()))
    elif isinstance(value, (list, tuple)):
        if (length or 0) <= _FEW:
            yield from ((f"[{position}]", inner) for position, inner in enumerate(value))
    elif isinstance(value, type):
        return
    else:
        closure = attribute(value, "__closure__", None) or ()
        names = attribute(attribute(value, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, closure, strict=False):
            try:
                yield f".<{name}>", cell.cell_contents
            except ValueError:
                continue
        yield from ((f".{name}", inner) for name, inner in list(attribute(value, "__dict__", {}).items()))
        yield from _of_class(value)


def _of_class(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what the class keeps for all its objects, and the caches of its methods."""
    for base in type(value).__mro__[:4]:
        file = attribute(sys.modules.get(base.__module__), "__file__", None)
        if isinstance(file, str) and is_first_party(file):
            for name, inner in list(vars(base).items()):
                if not name.startswith("__"):
                    yield f".{name}", inner
