"""Objects that hang on another one: what a collate, a dataset or a function holds."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Mapping
from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.frames import is_first_party

NAMES = (
    "tokenizer", "processor", "processing_class", "text_processor", "_tokenizer", "tok", "tokenize",
    "template", "task_encoder", "text_tokenizer", "encoder", "tokeniser",
)  # fmt: skip
"""Attribute names that are looked at first."""
INSIDE = (
    "collate_fn", "data_collator", "dataset", "datasets", "_format_kwargs", "transform", "transforms", "func", "pipeline", "fn",
)  # fmt: skip
DEPTH = 5
VISITED = 400


def reachable(start: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield objects that hang on another, with their path; no property is called."""
    waiting, seen = [(name, start, 0)], set[int]()
    while waiting and len(seen) < VISITED:
        path, one, depth = waiting.pop(0)
        if (
            one is None
            or isinstance(one, (str, bytes, int, float, type, types.ModuleType))
            or id(one) in seen
        ):
            continue
        seen.add(id(one))
        yield path, one
        if depth < DEPTH:
            waiting += [(f"{path}.{step}", item, depth + 1) for step, item in _parts(one)]


def _parts(one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, functools.partial):
        yield "func", one.func
        yield from ((str(number), item) for number, item in enumerate(one.args))
        yield from one.keywords.items()
    elif isinstance(one, types.MethodType):
        yield "__self__", one.__self__
    elif isinstance(one, types.FunctionType):
        yield from _held_by(one)
    else:
        yield from _attributes(one)


def _held_by(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield what a function closes over, and the user's globals that it names."""
    for step, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield step, cell.cell_contents
        except ValueError:  # not filled yet
            continue
    if is_first_party(function.__code__.co_filename):
        for step in function.__code__.co_names:
            found = function.__globals__.get(step)
            if found is not None and (step in NAMES or not callable(found)):
                yield step, found


def _attributes(one: Any) -> Iterator[tuple[str, Any]]:
    own = vars(one) if has(one, "__dict__") else {}
    first = [step for step in own if step.lstrip("_") in {*NAMES, *INSIDE} or "token" in step.lower()]
    rest = [step for step in own if step not in first]
    for step in (*first, *rest[:64]):
        yield step, own[step]
    if isinstance(one, (list, tuple)) and len(one) <= 16:
        yield from ((str(number), item) for number, item in enumerate(one))
    elif isinstance(one, Mapping) and len(one) <= 32 and type(one) is dict:
        yield from ((str(key), item) for key, item in one.items())
