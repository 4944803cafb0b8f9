"""Where the user wrote an object."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute
from dldoctor.targets.user_code import is_user_file, shown

_HOLDS_FUNCTION = ("data_collator", "collate_fn")


def source_of(obj: Any) -> SourceRef | None:
    """Return the place of a function, or of an object's class; null where it is not the user's code."""
    subject = _subject(obj)
    try:
        filename = inspect.getsourcefile(subject)
    except TypeError:
        return None
    if filename is None or not is_user_file(filename):
        return _source_inside(obj)
    return SourceRef(shown(filename), _line(subject), subject.__qualname__)


def _subject(obj: Any) -> Any:
    """Return the function or class that decides how an object behaves."""
    while isinstance(obj, functools.partial):
        obj = obj.func
    if inspect.ismethod(obj):
        obj = obj.__func__
    if inspect.isfunction(obj):
        return inspect.unwrap(obj)
    return obj if inspect.isclass(obj) else type(obj)


def _source_inside(obj: Any) -> SourceRef | None:
    """Look into a library's object for the user's own (a collator that only drops columns first)."""
    for name in _HOLDS_FUNCTION:
        inner = attribute(obj, "__dict__", {}).get(name)
        if inner is not None and inner is not obj:
            return source_of(inner)
    return None


def _line(subject: Any) -> int | None:
    if inspect.isfunction(subject):
        return subject.__code__.co_firstlineno
    try:
        return inspect.getsourcelines(subject)[1]
    except (OSError, TypeError):
        return None


def name_of(obj: Any) -> str:
    """Return the dotted name of a function, or of an object's class."""
    if isinstance(obj, functools.partial):
        return f"partial({name_of(obj.func)})"
    if inspect.ismethod(obj) or inspect.isroutine(obj) or inspect.isclass(obj):
        return f"{obj.__module__}.{obj.__qualname__}" if obj.__module__ else obj.__qualname__
    cls = type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
