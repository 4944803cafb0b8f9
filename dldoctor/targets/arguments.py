"""Arguments for a callable target: ``-k key=value``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from dldoctor.errors import TargetError, nearest
from dldoctor.targets.user_code import run_user_code

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parse_kwargs(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments; a value that is no Python literal is taken as a string."""
    kwargs: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals:
            raise TargetError(f"`-k {text}` has no value; write `-k {key or 'name'}=VALUE`")
        if not key.isidentifier():
            raise TargetError(f"`-k {text}`: `{key}` is not the name of an argument")
        if key in kwargs:
            raise TargetError(f"`-k {key}=...` is given twice")
        kwargs[key] = _literal(value)
    return kwargs


def _literal(value: str) -> Any:
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return value


def call_target(function: Callable[..., Any], label: str, kwargs: dict[str, Any]) -> Any:
    """Call a callable target with its arguments; a misfit is told before the call."""
    parameters = parameters_of(function)
    positional: list[Any] = []
    if parameters is not None:
        _check_fit(label, parameters, kwargs)
        kwargs = dict(kwargs)
        unnamed = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
        positional = [kwargs.pop(name) for name in unnamed if name in kwargs]
    return run_user_code(f"calling `{label}`", lambda: function(*positional, **kwargs))


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """Return the parameters of a callable, or null where Python cannot tell (some C functions)."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def missing_arguments(function: Callable[..., Any], given: set[str] | frozenset[str]) -> list[str] | None:
    """Return the names of required parameters that are not given; null where they are not known."""
    parameters = parameters_of(function)
    if parameters is None:
        return None
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        p.name
        for p in parameters
        if p.default is inspect.Parameter.empty and p.kind not in variable and p.name not in given
    ]


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether a callable can be called with exactly one positional argument."""
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _check_fit(label: str, parameters: list[inspect.Parameter], kwargs: dict[str, Any]) -> None:
    named = [p.name for p in parameters if p.kind in _BY_NAME or p.kind is p.POSITIONAL_ONLY]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters)
    listed = f" (its parameters: {', '.join(f'`{n}`' for n in named)})" if named else ""
    for key in kwargs:
        if key not in named and not open_ended:
            tail = nearest(key, named) or listed or "; it takes no arguments"
            raise TargetError(f"`{label}` has no parameter `{key}`{tail}")
    required = [p for p in parameters if p.name in named and p.default is p.empty]
    missing = [p.name for p in required if p.name not in kwargs]
    if missing and missing[0] == "self":
        raise TargetError(f"`{label}` is a method of a class; name an instance, or make it a staticmethod")
    if missing:
        names = ", ".join(f"`{n}`" for n in missing)
        how = " ".join(f"-k {n}=VALUE" for n in missing)
        raise TargetError(
            f"`{label}` needs {names}{listed if len(named) > len(missing) else ''}; add `{how}`"
        )
