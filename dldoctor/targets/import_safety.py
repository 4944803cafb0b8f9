"""Read a file before it is imported: what would run, and must not.

Importing a training script trains. So the source is parsed first, and what an import would run (the
top level, class bodies, and functions of the same file that these call) is searched for training,
argument parsing, process groups and endless loops. This file needs neither torch nor the user's
Python: the command line calls it before it starts a child.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from dldoctor.errors import TargetError
from dldoctor.foreign import attribute
from dldoctor.targets.notebook import code_up_to, is_notebook
from dldoctor.targets.user_code import shown

_PARSERS = {"parse_args", "parse_known_args", "parse_args_into_dataclasses", "parse_intermixed_args"}
_GROUPS = {"init_process_group", "init_distributed"}
_FITS = {"fit_one_cycle", "fine_tune"}
_STARTERS = {
    ("fire", "Fire"): "parses arguments",
    ("tyro", "cli"): "parses arguments",
    ("typer", "run"): "parses arguments",
    ("app", "run"): "starts an application",
    ("mp", "spawn"): "starts processes",
    ("multiprocessing", "spawn"): "starts processes",
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def refuse_scripts(path: Path, name: str | None = None) -> None:
    """Raise `TargetError` if importing the file would train, parse arguments or never end.

    Of a notebook, only what runs until `name` is defined counts. A file that does not parse passes: the interpreter that imports it, which may be a newer one,
    tells about that best.
    """
    try:
        source = code_up_to(path, name) if is_notebook(path) else path.read_bytes()
        tree = ast.parse(source, filename=str(path))
    except (SyntaxError, ValueError, RecursionError):
        return
    except OSError as error:
        raise TargetError(f"{shown(path)} cannot be read: {error.strerror or error}") from error
    fault = _Import(tree).first_fault()
    if fault is not None:
        line, what = fault
        when = f"before `{name}` is defined" if is_notebook(path) else "when it is imported"
        raise TargetError(
            f"{shown(path)}:{line} {what} {when}; put it under "
            '`if __name__ == "__main__":`, or allow it with `--allow-script`'
        )


class _Import:
    """What one import would run."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions: dict[str, _Function] = {
            node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)
        }
        self.trainers = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _makes_trainer(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def first_fault(self) -> tuple[int, str] | None:
        """Return the line and the deed of the first thing that must not run, in order of running."""
        return self._search(self.tree.body, frozenset())

    def _search(self, body: list[ast.stmt], called: frozenset[str]) -> tuple[int, str] | None:
        for node in _running(body):
            if isinstance(node, ast.While) and _endless(node):
                return node.lineno, "loops without end"
            if not isinstance(node, ast.Call):
                continue
            what = self._deed(node)
            if what is not None:
                return node.lineno, what
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            function = self.functions.get(name)
            if function is None or name in called:
                continue
            if _is_command(function):
                return node.lineno, f"parses arguments (`{name}()`)"
            inside = self._search(function.body, called | {name})
            if inside is not None and not _yields(function):
                line, what = inside
                return node.lineno, f"calls `{name}()`, which in line {line} {what}"
        return None

    def _deed(self, call: ast.Call) -> str | None:
        """Return what a call does that an import must not do, or null."""
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else attribute(function, "id", "")
        text = f"(`{_short(call)}`)"
        if name in _GROUPS:
            return f"initialises a process group {text}"
        if name in _PARSERS and not call.args and not any(k.arg in ("args", None) for k in call.keywords):
            # With an explicit list it does not read the command line.
            return f"parses arguments {text}"
        if not isinstance(function, ast.Attribute):
            return None
        owner = function.value
        if name == "backward" or name in _FITS or (name in ("train", "fit") and self._is_trainer(owner)):
            return f"starts training {text}"
        deed = _STARTERS.get((_last_name(owner), name))
        return f"{deed} {text}" if deed else None

    def _is_trainer(self, owner: ast.expr) -> bool:
        # A variable, not a class: `SentencePieceTrainer.train(...)` makes a tokenizer.
        name = _last_name(owner)
        if name in self.trainers or _makes_trainer(owner):
            return True
        return "trainer" in name.lower() and not name[:1].isupper()


def _running(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes that run when these statements do, in order; not the bodies of functions."""
    for statement in body:
        yield from _running_node(statement)


def _running_node(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If):
        taken = _branches(node)
        yield from _running_node(node.test)
        yield from _running(taken)
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            yield from _running_node(part)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _running_node(child)


def _branches(node: ast.If) -> list[ast.stmt]:
    """Return the statements of an `if` that an import can reach."""
    parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
    joined_by_and = not (isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or))
    for part in parts:
        verdict = _known(part)
        if verdict is False and joined_by_and:
            return node.orelse
        if verdict is True and len(parts) == 1:
            return node.body
    return [*node.body, *node.orelse]


def _known(test: ast.expr) -> bool | None:
    """Return the value that a condition has during an import, where that is certain."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if _last_name(test) == "TYPE_CHECKING":
        return False
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = (test.left, test.comparators[0])
        names = any(isinstance(s, ast.Name) and s.id == "__name__" for s in sides)
        main = any(isinstance(s, ast.Constant) and s.value == "__main__" for s in sides)
        if names and main and isinstance(test.ops[0], ast.Eq | ast.NotEq):
            return isinstance(test.ops[0], ast.NotEq)
    return None


def _endless(loop: ast.While) -> bool:
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value) and not _leaves(loop.body)


def _leaves(body: list[ast.stmt], *, inner: bool = False) -> bool:
    """Whether a loop body can leave its loop: a break of its own, a return or a raise."""
    for node in body:
        if isinstance(node, ast.Return | ast.Raise) or (isinstance(node, ast.Break) and not inner):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if _ends_process(node):
            return True
        nested = isinstance(node, ast.For | ast.While | ast.AsyncFor)
        blocks = [getattr(node, key, []) for key in ("body", "orelse", "finalbody")]
        blocks += [part.body for key in ("handlers", "cases") for part in getattr(node, key, [])]
        if any(_leaves(block, inner=inner or nested) for block in blocks):
            return True
    return False


def _ends_process(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and _last_name(call.func) in ("exit", "_exit")


def _yields(function: _Function) -> bool:
    """Whether calling the function only makes a generator (or coroutine) and runs nothing."""
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in _running(function.body))


def _is_command(function: _Function) -> bool:
    """Whether a decorator (click, typer, hydra) makes the function read the command line."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = _last_name(called)
        if name in ("command", "group") or (name == "main" and _last_name(called, owner=True) == "hydra"):
            return True
    return False


def _makes_trainer(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _last_name(value.func).endswith("Trainer")


def _last_name(node: ast.AST, *, owner: bool = False) -> str:
    """Return the last part of a dotted name, or (`owner`) the part before it."""
    if owner:
        return _last_name(node.value) if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _short(call: ast.Call) -> str:
    text = ast.unparse(call.func)
    return f"{text if len(text) <= 60 else '...' + text[-57:]}({'...' if call.args or call.keywords else ''})"
