"""The loaders and datasets of one file, by reading its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from dldoctor.first_config.arguments import missing_of_class, missing_of_function
from dldoctor.first_config.names import Names

Kind = Literal["loader", "dataset"]
_LOADERS: Final = frozenset(
    {"DataLoader", "StatefulDataLoader", "StreamingDataLoader", "WebLoader", "LightningDataModule"}
)
_DATASETS: Final = frozenset({"Dataset", "IterableDataset", "StreamingDataset", "WebDataset", "ImageFolder"})
_TRAINERS: Final = ("transformers", "trl")
"""Packages whose trainers hold loaders; other trainers are given theirs."""
_Function = ast.FunctionDef
_DEPTH: Final = 5
"""So many functions and classes of one file are followed, each through the next."""


@dataclass(frozen=True)
class Made:
    """What the source says that a name is, or makes."""

    kind: Kind
    what: str
    """``a DataLoader``, ``2 loaders``"""
    parts: tuple[tuple[str, str], ...] = ()
    """Several loaders: what picks one, and the name that it goes by in the source."""


@dataclass(frozen=True)
class SourceTarget:
    """A name at the top of a file that can be a target."""

    path: Path
    name: str
    line: int
    made: Made
    verb: Literal["is", "returns"] = "is"
    missing: tuple[str, ...] = ()
    """Arguments without a default."""

    @property
    def why(self) -> str:
        """What the source says of it."""
        return f"{self.verb} {self.made.what}"


@dataclass(frozen=True)
class SourceFile:
    """One file, parsed."""

    path: Path
    tree: ast.Module
    names: Names

    @classmethod
    def read(cls, path: Path) -> SourceFile | None:
        """Return the parsed file; null for one that this Python cannot read."""
        try:
            tree = ast.parse(path.read_bytes(), filename=str(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        return cls(path, tree, Names.of(tree))

    def targets(self) -> Iterator[SourceTarget]:
        """Yield what can be a target, in the order in which it is written; private names are left out."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                made = self.makes(node)
                if made and not node.name.startswith("_"):
                    missing = (
                        missing_of_function(node)
                        if isinstance(node, ast.FunctionDef)
                        else missing_of_class(node, self._class)
                    )
                    if missing is not None:
                        verb: Literal["returns", "is"] = "is" if isinstance(node, ast.ClassDef) else "returns"
                        yield SourceTarget(self.path, node.name, node.lineno, made, verb, missing)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                made = self.value(node.value, {})
                if made and isinstance(target, ast.Name) and not target.id.startswith("_"):
                    yield SourceTarget(self.path, target.id, node.lineno, made)

    def inner_loaders(self) -> Iterator[tuple[int, str]]:
        """Yield line and class of each loader that is made anywhere in the file."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and (name := self.names.last(node.func)) in _LOADERS:
                yield node.lineno, name

    def makes(self, node: ast.FunctionDef | ast.ClassDef, depth: int = 0) -> Made | None:
        """Return what calling a function or class of this file gives."""
        if depth > _DEPTH:
            return None
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                if made := self._class_named(base, depth + 1):
                    return Made(made.kind, f"a kind of {self.names.last(base)}")
            return None
        annotated = self._class_named(node.returns, depth + 1)
        if annotated is not None:
            return Made(annotated.kind, f"a {self.names.last(node.returns)}")
        local = _assigned(node)
        for returned in _returned(node):
            if made := self.value(returned, local, depth + 1):
                return made
        return None

    def value(self, node: ast.expr, local: dict[str, ast.expr], depth: int = 0) -> Made | None:
        """Return what an expression is, names of the function around it followed."""
        if depth > _DEPTH:
            return None
        if isinstance(node, ast.Name) and node.id in local:
            return self.value(local[node.id], {k: v for k, v in local.items() if k != node.id}, depth + 1)
        if isinstance(node, ast.Dict | ast.Tuple | ast.List):
            return self._several(node, local, depth)
        if not isinstance(node, ast.Call):
            return None
        if function := self._function(node.func):
            return self.makes(function, depth + 1)
        name = self.names.dotted(node.func)
        if name.partition(".")[0] in _TRAINERS and name.endswith("Trainer"):
            return Made("loader", f"a {self.names.last(node.func)}")
        made = self._class_named(node.func, depth + 1)
        return Made(made.kind, f"a {self.names.last(node.func)}") if made else None

    def _several(
        self, node: ast.Dict | ast.Tuple | ast.List, local: dict[str, ast.expr], depth: int
    ) -> Made | None:
        if isinstance(node, ast.Dict):
            keys = [
                k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else None
                for k in node.keys
            ]
            pairs = [(key, key, value) for key, value in zip(keys, node.values, strict=True) if key]
        else:
            pairs = [(str(n), self.names.last(value), value) for n, value in enumerate(node.elts)]
        made = [(key, called, self.value(value, local, depth + 1)) for key, called, value in pairs]
        loaders = tuple((key, called) for key, called, one in made if one and one.kind == "loader")
        return (
            Made("loader", f"{len(loaders)} loader{'s' if len(loaders) > 1 else ''}", loaders)
            if loaders
            else None
        )

    def _class_named(self, node: ast.AST | None, depth: int) -> Made | None:
        """Return what instances of a class are, one of this file or a known one."""
        name = self.names.last(node)
        own = self._class(name)
        if own is not None and isinstance(node, ast.Name | ast.Subscript | ast.Constant):
            return self.makes(own, depth + 1)
        if name in _LOADERS:
            return Made("loader", f"a {name}")
        return Made("dataset", f"a {name}") if name in _DATASETS else None

    def _class(self, name: str) -> ast.ClassDef | None:
        return next((n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name == name), None)

    def _function(self, node: ast.expr) -> _Function | None:
        name = node.id if isinstance(node, ast.Name) else ""
        return next((n for n in self.tree.body if isinstance(n, _Function) and n.name == name), None)


def _own_nodes(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a function, without those of functions and classes inside it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for key in ("body", "orelse", "finalbody"):
                yield from _own_nodes(getattr(node, key, []))
            for handler in getattr(node, "handlers", []) + getattr(node, "cases", []):
                yield from _own_nodes(handler.body)


def _returned(function: _Function) -> Iterator[ast.expr]:
    for node in _own_nodes(function.body):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value


def _assigned(function: _Function) -> dict[str, ast.expr]:
    return {
        node.targets[0].id: node.value
        for node in _own_nodes(function.body)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
