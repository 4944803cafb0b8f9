"""Walks what the loader's objects hold, with the attribute path to each thing.

Nothing of the user's is called: attributes are read from where they are stored, so that a property or
a lazy object does not begin to work because somebody looked.
"""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import is_first_party
from dldoctor.targets.describe import bare

OBJECTS = 20_000
DEPTH = 10
ITEMS = 64
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), range, type, types.ModuleType)

Found = tuple[str, Any]


def roots(pipeline: Any) -> list[Found]:
    """Return the objects that travel to workers, and the samplers that stay."""
    loader = pipeline.torch_loader
    if loader is None:
        return []
    state = vars(loader)
    named = [("dataset", bare(state["dataset"]))]
    others = ("collate_fn", "worker_init_fn", "batch_sampler", "sampler")
    return named + [(name, state[name]) for name in others if state.get(name) is not None]


def walk(starts: Iterable[Found]) -> Iterator[Found]:
    """Yield each object once, breadth first, with its shortest path."""
    waiting = deque((path, value, 0) for path, value in starts)
    seen: dict[int, Any] = {}  # the values are kept, so that no id is given twice
    while waiting and len(seen) < OBJECTS:
        path, value, depth = waiting.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        yield path, value
        if depth < DEPTH:
            waiting.extend((path + step, inner, depth + 1) for step, inner in parts(value) if _worth(inner))


def _worth(value: Any) -> bool:
    # A number can be a descriptor, and those are few: the rest of the plain values say nothing.
    return type(value) is int or not isinstance(value, _PLAIN)


def parts(value: Any) -> list[Found]:
    """Return what an object holds, each with the step that leads to it."""
    if isinstance(value, dict):
        return [
            (f"[{key!r}]" if isinstance(key, (str, int)) else "[...]", value[key]) for key in _head(value)
        ]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        first = _head(value)
        if isinstance(value, tuple) and (names := attribute(value, "_fields", None)):
            return [(f".{name}", item) for name, item in zip(names, value, strict=False)]
        return (
            []
            if all(isinstance(item, _PLAIN) for item in first)
            else [(f"[{i}]", x) for i, x in enumerate(first)]
        )
    if isinstance(value, functools.partial):
        named = [(f".{key}", item) for key, item in value.keywords.items()]
        return [(".func", value.func), *((f".args[{i}]", item) for i, item in enumerate(value.args)), *named]
    if isinstance(value, types.MethodType):
        return [(".__self__", value.__self__), (".__func__", value.__func__)]
    if isinstance(value, types.FunctionType):
        return _of_function(value)
    return _of_object(value)


def _head(value: Iterable[Any]) -> list[Any]:
    found = []
    for item in value:
        found.append(item)
        if len(found) >= ITEMS:
            break
    return found


def _of_function(function: types.FunctionType) -> list[Found]:
    found: list[Found] = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found.append((f".<{name}>", cell.cell_contents))
        except ValueError:  # a name that has no value yet
            continue
    found += [(f".<default {i}>", item) for i, item in enumerate(function.__defaults__ or ())]
    if is_first_party(function.__code__.co_filename):
        found += [(f".<global {name}>", item) for name, item in _globals_of(function)]
    return found


def _globals_of(function: types.FunctionType) -> list[Found]:
    """Return the module-level objects that a function names: a generator there is copied to workers too."""
    names: set[str] = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    known = function.__globals__
    return [(name, known[name]) for name in sorted(names) if name in known and _worth(known[name])]


def _of_object(value: Any) -> list[Found]:
    kind = type(value)
    if has(kind, "__array_interface__") or _is_tensor(value):
        return []
    found: list[Found] = []
    stored = attribute(value, "__dict__", None)
    if isinstance(stored, dict):
        found += [(f".{name}", item) for name, item in list(stored.items())[:400]]
    for base in kind.__mro__[:-1]:
        slots = base.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else list(slots):
            descriptor = base.__dict__.get(name)
            if isinstance(descriptor, types.MemberDescriptorType) and name not in ("__dict__", "__weakref__"):
                try:
                    found.append((f".{name}", descriptor.__get__(value, kind)))
                except AttributeError:
                    continue
        if _is_users(base):
            own = {step for step, _ in found if not step.startswith(".<")}
            # What the instance or a nearer class gives under a name is what is read by it.
            found += [(step, item) for step, item in _of_class(base) if step not in own]
    return found


def _of_class(base: type) -> list[Found]:
    """Return class attributes, and the module-level objects that the methods name."""
    found: list[Found] = []
    for name, item in list(base.__dict__.items()):
        inner = attribute(item, "__func__", item)
        if isinstance(inner, types.FunctionType):
            found += [(f".<global {known}>", value) for known, value in _globals_of(inner)]
        elif not name.startswith("__") and not isinstance(item, (property, types.MemberDescriptorType)):
            found.append((f".{name}", item))
    return found


def _is_users(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    file = attribute(module, "__file__", None)
    return isinstance(file, str) and is_first_party(file)


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)
