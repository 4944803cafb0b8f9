"""The line of the user's code that puts things into a container which grows.

Where memory was allocated says little about who keeps it: a picture is made by one function, and
appended to a list by another.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.memory.containers import Roots, user_modules
from dldoctor.targets.source_ref import source_of

_STEP = re.compile(r"\.<?(\w+)>?|\[([^\]]*)\]")
_PUTS = frozenset({
    "add", "append", "appendleft", "extend", "insert", "put", "put_nowait", "setdefault", "update",
})  # fmt: skip
_MISSING = object()


class _Place(NamedTuple):
    path: str
    line: int
    function: str


def where_put(path: str, roots: Roots, kept_at: Mapping[tuple[str, int], int]) -> SourceRef | None:
    """Return the line that puts entries into the container at a path; None where that cannot be told.

    `kept_at`: bytes that are kept, by each of the user's lines that their allocation passed through.
    """
    owner, name, value = _owner_of(path, roots)
    wrapped = attribute(value, "__wrapped__", None)
    if wrapped is not None:
        return source_of(wrapped)  # a cache is filled by each call of the function
    found = list(_in_classes(owner, name)) or list(_in_file(owner, name))
    used = [place for place in found if place.function != "__init__"] or found
    best = max(used, key=lambda place: kept_at.get(place[:2], 0), default=None)
    if best is None or (len(used) > 1 and not kept_at.get(best[:2])):
        return None
    return SourceRef(shown_path(best.path), best.line, best.function or None)


def _owner_of(path: str, roots: Roots) -> tuple[Any, str, Any]:
    """Return the object whose attribute is the container or holds it, the attribute's name, and the container."""
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    value = getattr(roots, {"collate_fn": "collate"}.get(root, root), None) or dict(user_modules()).get(root)
    owner: Any = None
    last = ""
    for step in _STEP.finditer(path, len(root)):
        if step[1] is not None:
            owner, last, value = value, step[1], _named(value, step[1])
        else:
            value = _item(value, step[2])
        if value is _MISSING:
            break
    return owner, last, value


def _named(value: Any, name: str) -> Any:
    if isinstance(value, FunctionType) and value.__closure__ and name in value.__code__.co_freevars:
        cell = value.__closure__[value.__code__.co_freevars.index(name)]
        return attribute(cell, "cell_contents", _MISSING)
    return inspect.getattr_static(value, name, _MISSING)  # properties are code of the user's


def _item(value: Any, key: str) -> Any:
    try:
        return value[ast.literal_eval(key)] if isinstance(value, (dict, list, tuple)) else _MISSING
    except (ValueError, SyntaxError, LookupError):
        return _MISSING


def _in_classes(owner: Any, name: str) -> Iterator[_Place]:
    """Yield the lines in the classes of an object that put things into its attribute."""
    if owner is None or isinstance(owner, (ModuleType, FunctionType)):
        return
    for kind in type(owner).__mro__:
        ref = _file_of(kind)
        if ref is not None:
            for node in ast.walk(_parsed(ref)):
                if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                    yield from _puts(node, name, ref)


def _in_file(owner: Any, name: str) -> Iterator[_Place]:
    """Yield such lines of the whole file: of a module, of a function, or of the classes of an object."""
    if owner is None:
        return
    kinds = [owner] if isinstance(owner, (ModuleType, FunctionType)) else type(owner).__mro__
    for ref in dict.fromkeys(filter(None, map(_file_of, kinds))):
        yield from _puts(_parsed(ref), name, ref)


def _file_of(thing: Any) -> str | None:
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:
        return None
    return file if file is not None and is_first_party(file) else None


def _parsed(file: str) -> ast.AST:
    try:
        return ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _puts(tree: ast.AST, name: str, file: str, function: str = "") -> Iterator[_Place]:
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        if any(_is_called(one, name) for one in _filled(node)):
            yield _Place(file, attribute(node, "lineno", 0), inner)
        yield from _puts(node, name, file, inner)


def _filled(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of what a node puts something into."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
        yield node.func.value
    if isinstance(node, ast.AugAssign):
        yield node.target
    if isinstance(node, ast.Assign):
        yield from (target.value for target in node.targets if isinstance(target, ast.Subscript))


def _is_called(node: ast.AST, name: str) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    return name == (node.attr if isinstance(node, ast.Attribute) else attribute(node, "id", None))
