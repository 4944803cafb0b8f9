"""Puts a timer before each statement of the user's functions, at the level of the syntax tree.

Only function bodies change; line numbers stay. In the form ``loops`` a loop is one statement, for
functions whose loops run so often that timing each round would be the larger cost.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar, cast

Form = Literal["statements", "loops"]
Body = Sequence[ast.stmt]
T = TypeVar("T", bound=ast.AST)

_WORKING = (ast.Call, ast.Subscript, ast.BinOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """A statement that has a timer."""

    function: str
    """Qualified name."""
    line: int
    text: str
    """The beginning of its source."""
    calls: tuple[ast.expr, ...]
    """What it calls or indexes, to be resolved when it runs."""


class Names(NamedTuple):
    """Numbers for what is timed."""

    statement: Callable[[Statement], int]
    function: Callable[[str, int], int]
    """By qualified name and first line."""


class Rewriter:
    """Rewrites the functions of one module."""

    def __init__(self, names: Names, form: Form) -> None:
        """Ask `names` for the numbers."""
        self._names = names
        self._form = form

    def module(self, tree: ast.Module) -> ast.Module:
        """Rewrite all functions in place, nested ones too."""
        self._inside(tree, "")
        return ast.fix_missing_locations(tree)

    def _inside(self, node: ast.AST, path: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._inside(child, f"{path}{child.name}.<locals>.")
                if isinstance(child, ast.FunctionDef):
                    self._function(child, f"{path}{child.name}")
            elif isinstance(child, ast.ClassDef):
                self._inside(child, f"{path}{child.name}.")
            else:
                self._inside(child, path)

    def _function(self, node: ast.FunctionDef, name: str) -> None:
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        number = self._names.function(name, first)
        generator = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in _own_nodes(node))
        whole_loops = self._form == "loops" and not generator
        body = list(node.body)
        kept = [body.pop(0)] if ast.get_docstring(node, clean=False) is not None else []
        timed = self._body(body, name, whole_loops)
        if generator:
            around = _Yields(number)
            timed = [cast("ast.stmt", around.visit(one)) for one in timed]
        begin, end = _call("push", number), _call("pop", number)
        guarded = ast.Try(body=timed or [ast.Pass()], handlers=[], orelse=[], finalbody=[ast.Expr(end)])
        place = body[0] if body else node
        node.body = [*kept, _at(ast.Expr(begin), place), _at(guarded, place)]

    def _body(self, body: Body, name: str, whole_loops: bool) -> list[ast.stmt]:
        new: list[ast.stmt] = []
        for one in body:
            new += self._statement(one, name, whole_loops)
        return new

    def _statement(self, one: ast.stmt, name: str, whole_loops: bool) -> list[ast.stmt]:
        if isinstance(one, _FUNCTIONS):
            return [one]
        loop = isinstance(one, (ast.For, ast.While))
        if loop and whole_loops:
            return [self._mark(one, [one], name), one]
        heads = _heads(one)
        for part in ("body", "orelse", "finalbody"):
            if heads is not None and getattr(one, part, None):
                setattr(one, part, self._body(getattr(one, part), name, whole_loops))
        for handler in [*getattr(one, "handlers", []), *getattr(one, "cases", [])]:
            handler.body = self._body(handler.body, name, whole_loops)
        worked = [one] if heads is None else heads
        # A loop asks an iterator, and `with` enters what may be a lock, whatever their heads look like.
        if not any(_works(head) for head in worked) and not isinstance(one, (ast.For, ast.With)):
            return [one]
        mark = self._mark(one, worked, name)
        if isinstance(one, ast.For) and not _counts(one.iter):
            key = mark.value.args[0]  # type: ignore[attr-defined]
            one.iter = _at(_call("each", key.value, one.iter), one.iter)
        elif isinstance(one, ast.While):
            again = _call("mark", mark.value.args[0].value)  # type: ignore[attr-defined]
            both = ast.Tuple([again, one.test], ast.Load())
            one.test = _at(ast.Subscript(both, ast.Constant(1), ast.Load()), one.test)
        return [mark, one]

    def _mark(self, one: ast.stmt, worked: Sequence[ast.AST], name: str) -> ast.Expr:
        line = one.lineno
        calls = tuple(
            node.func if isinstance(node, ast.Call) else node
            for head in worked
            for node in ast.walk(head)
            if isinstance(node, (ast.Call, ast.Subscript))
        )
        if isinstance(one, ast.With):
            calls += tuple(head for head in worked if isinstance(head, (ast.Name, ast.Attribute)))
        head = worked[0] if worked else one
        text = ast.unparse(one if _heads(one) is None else head).split("\n", 1)[0]
        if isinstance(one, ast.For):
            text = f"for ... in {text.removeprefix('for ').split(' in ', 1)[-1].rstrip(':')}"
        elif isinstance(one, ast.With):
            text = f"with {text}"
        key = self._names.statement(Statement(name, line, text[:80], calls[:12]))
        return _at(ast.Expr(_call("mark", key)), one)


class _Yields(ast.NodeTransformer):
    """A generator leaves its span while it is suspended."""

    def __init__(self, function: int) -> None:
        self._function = function

    def visit(self, node: ast.AST) -> ast.AST:
        return node if isinstance(node, _FUNCTIONS) else super().visit(node)

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        value = cast("ast.expr", self.visit(node.value)) if node.value is not None else ast.Constant(None)
        return self._around(node, ast.Yield(_call("suspend", self._function, value)))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        value = cast("ast.expr", self.visit(node.value))
        return self._around(node, ast.YieldFrom(_call("suspend", self._function, value)))

    def _around(self, node: ast.expr, inner: ast.expr) -> ast.AST:
        return _at(_call("resume", self._function, inner), node)


def _heads(one: ast.stmt) -> list[ast.AST] | None:
    """Return what a compound statement does itself, before its body; None for a simple statement."""
    if isinstance(one, (ast.If, ast.While)):
        return [one.test]
    if isinstance(one, (ast.For, ast.AsyncFor)):
        return [one.iter]
    if isinstance(one, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in one.items]
    if isinstance(one, ast.Match):
        return [one.subject]
    return [] if isinstance(one, (ast.Try, ast.TryStar)) else None


def _works(node: ast.AST) -> bool:
    """Whether a statement can take time worth a timer."""
    if isinstance(node, ast.AugAssign):
        return True
    return any(isinstance(one, _WORKING) for one in ast.walk(node))


def _counts(iterable: ast.expr) -> bool:
    called = isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name)
    return called and iterable.func.id == "range"  # type: ignore[attr-defined]


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """Return the nodes of a function without those of functions inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _FUNCTIONS):
            found.append(node)
            waiting += ast.iter_child_nodes(node)
    return found


def _call(name: str, number: int, *more: ast.expr) -> ast.Call:
    function = ast.Name(f"__dldoctor_{name}__", ast.Load())
    return ast.Call(function, [ast.Constant(number), *more], [])


def _at(node: T, place: ast.AST) -> T:
    """Give a new node, and the new ones in it, the place of an old one."""
    for one in ast.walk(node):
        if not hasattr(one, "lineno") and isinstance(one, (ast.stmt, ast.expr)):
            ast.copy_location(one, place)
    return node
