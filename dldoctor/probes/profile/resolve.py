"""What a statement calls, looked up once when it first runs, where its variables are at hand."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FrameType, ModuleType
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.profile.rewrite import Statement
from dldoctor.probes.profile.stages import IMPORTANCE, stage_by_name, stage_of

_MISSING = object()


class Resolver:
    """Knows the stage of each statement that has run."""

    def __init__(self, statements: dict[int, tuple[str, Statement]]) -> None:
        """Look up the statements of `statements`, which grows."""
        self._statements = statements
        self.stages: dict[int, str] = {}

    def resolve(self, key: int, frame: FrameType) -> None:
        """Note the stage of a statement that is about to run in `frame`."""
        if key in self.stages or key not in self._statements:
            return
        statement = self._statements[key][1]
        found = [
            stage
            for call in statement.calls
            # Taking a row out of an array in memory says nothing of what is done with it.
            if (stage := _stage(call, frame))
            and not (stage == "transform" and isinstance(call, ast.Subscript))
        ]
        best = max(found, key=IMPORTANCE.index, default="other")
        self.stages[key] = stage_by_name(statement.function) if best == "other" else best


def _stage(call: ast.expr, frame: FrameType) -> str | None:
    names: list[str] = []
    node: ast.AST = call
    while True:
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            names.append("()")
            node = node.func
        elif isinstance(node, ast.Subscript):
            names.append("[]")
            node = node.value
        else:
            break
    if not isinstance(node, ast.Name):
        return None
    value = _variable(node.id, frame)
    if value is _MISSING:
        return None
    path = names[::-1]
    module, below = (value, tuple(path)) if isinstance(value, ModuleType) else (None, ())
    while path and path[0] not in ("()", "[]"):
        inner = _attribute(value, path[0])
        if inner is _MISSING:
            break
        value = inner
        path.pop(0)
        if isinstance(value, ModuleType):
            module, below = value, tuple(path)
    found = stage_of(value, _named(path))
    # A compiled function may not know where it belongs; the module that it was taken from does.
    return stage_of(module, _named(below)) if found is None and module is not None else found


def _named(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in path if name not in ("()", "[]"))


def _variable(name: str, frame: FrameType) -> Any:
    for scope in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if name in scope:
            return scope[name]
    return _MISSING


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute without running the user's code: no properties, no ``__getattr__``."""
    if isinstance(value, (ModuleType, type)):
        return vars(value).get(name, _MISSING)
    own = attribute(value, "__dict__", None)
    return own.get(name, _MISSING) if isinstance(own, dict) else _MISSING
