"""Which files of the user's a loader can run: those of its objects, and what their modules use."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import is_first_party

DEPTH = 5
OBJECTS = 4000


def files(roots: Iterable[Any]) -> tuple[str, ...]:
    """Return the user's source files that the objects `roots` can lead to."""
    modules: set[str] = set()
    seen: set[int] = set()
    waiting = [(root, 0) for root in roots]
    while waiting and len(seen) < OBJECTS:
        value, depth = waiting.pop()
        if id(value) in seen or depth > DEPTH:
            continue
        seen.add(id(value))
        modules |= _modules_of(value)
        waiting += [(part, depth + 1) for part in _parts(value)]
    found = _closure(modules)
    return tuple(sorted(found))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, int, float)) or value is None or is_array(value):
        return []
    if isinstance(value, dict):
        return list(value.values())[:64]
    if isinstance(value, (list, tuple)):
        return list(value[:64])
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, FunctionType):
        return [_contents(cell) for cell in value.__closure__ or ()] + list(value.__defaults__ or ())
    own = attribute(value, "__dict__", None)
    return (
        list(own.values())[:200]
        if isinstance(own, dict) and not isinstance(value, (ModuleType, type))
        else []
    )


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _modules_of(value: Any) -> set[str]:
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    names = {kind.__module__ for kind in kinds}
    own = attribute(value, "__module__", None) if callable(value) else None
    return names | ({own} if isinstance(own, str) else set())


def _closure(modules: set[str]) -> set[str]:
    """Return the first-party files of modules and of what they import."""
    found: set[str] = set()
    waiting, seen = list(modules), set[str]()
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        path = attribute(module, "__file__", None)
        if name in seen or not isinstance(path, str) or not is_first_party(path):
            continue
        seen.add(name)
        found.add(path)
        for value in list(vars(module).values()):
            other = value.__name__ if isinstance(value, ModuleType) else attribute(value, "__module__", None)
            if isinstance(other, str) and other not in seen:
                waiting.append(other)
    return found


def untimed(*objects: Any) -> Iterator[str]:
    """Yield what no timer can be put into among what the loader calls first, and why."""
    waiting, seen = list(objects), set[int]()
    while waiting and len(seen) < DEPTH:
        value = waiting.pop(0)
        if value is None or id(value) in seen:
            continue
        seen.add(id(value))
        waiting.append(attribute(value, "dataset", None))
        kind = type(value)
        for name in ("__getitem__", "__getitems__", "__iter__"):
            own = attribute(kind, name, None)
            if own is not None and not (name == "__iter__" and has(kind, "__getitem__")):
                yield from _why_untimed(f"{kind.__name__}.{name}", own)


def _why_untimed(name: str, function: Any) -> Iterator[str]:
    code = attribute(inspect.unwrap(function), "__code__", None)
    if code is None:
        yield f"{name}: it is compiled, and timed as a whole"
    elif code.co_filename.startswith("<"):
        yield f"{name}: it has no source file (typed in, or made by `exec`), and is timed as a whole"
    elif not is_first_party(code.co_filename):
        module = attribute(function, "__module__", "").split(".", 1)[0]
        yield f"{name}: it is {module or 'a library'}'s own, and timed as a whole"
