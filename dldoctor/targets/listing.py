"""The loaders and datasets of a file that was given without a name."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from dldoctor.errors import TargetError
from dldoctor.foreign import attribute
from dldoctor.targets.arguments import missing_arguments
from dldoctor.targets.choices import choices_of, is_certain
from dldoctor.targets.importing import import_file
from dldoctor.targets.torch_loader import is_torch_loader

Kind = Literal["loader", "makes a loader", "dataset", "makes a dataset"]
_LOADER_NAME = re.compile(r"loader|data_?module|trainer", re.IGNORECASE)
_DATASET_NAME = re.compile(r"data_?set|pipeline", re.IGNORECASE)
_ORDER: tuple[Kind, ...] = ("loader", "makes a loader", "dataset", "makes a dataset")
"""Where one kind has just one member and none before it has any, that member is meant."""


@dataclass(frozen=True)
class Candidate:
    """A name in a file that can be a target."""

    name: str
    kind: Kind
    needs: tuple[str, ...] = ()
    """Arguments that must be given by ``-k`` before it can be called."""

    def __str__(self) -> str:
        """Return the name with its kind, as messages list it."""
        needs = f", needs {' '.join(f'-k {n}=VALUE' for n in self.needs)}" if self.needs else ""
        return f"`{self.name}` ({self.kind}{needs})"


def list_targets(path: Path, *, allow_script: bool = False) -> tuple[Candidate, ...]:
    """Import a file and return what in it can be a target, in the order in which it is written."""
    return candidates(import_file(path, allow_script=allow_script))


def choose_target(module: ModuleType, holder: str, given: frozenset[str] = frozenset()) -> str:
    """Return the name of the only loader of a file (or else the only dataset); `given` are ``-k`` names."""
    found = candidates(module, given)
    ready = [c for c in found if not c.needs]
    for kind in _ORDER:
        of_kind = [c for c in ready if c.kind == kind]
        if len(of_kind) == 1:
            _refuse_a_guess(of_kind[0], module, holder)
            return of_kind[0].name
        if of_kind:
            break
    if not found:
        raise TargetError(
            f"{holder} has no loader or dataset at its top level, and no function whose name says that it "
            f"makes one; name the target, as in `{holder}:make_loader`"
        )
    if not ready:
        raise TargetError(f"{holder} has no target that needs no arguments: {', '.join(map(str, found))}")
    loaders = [c for c in found if "loader" in c.kind]
    listed = ", ".join(str(c) for c in loaders or found)
    example = min(ready, key=lambda c: _ORDER.index(c.kind)).name
    raise TargetError(f"{holder} has several targets: {listed}; name one, as in `{holder}:{example}`")


def _refuse_a_guess(chosen: Candidate, module: ModuleType, holder: str) -> None:
    """A lone dataset class is no choice where the file has functions that may build loaders of it."""
    if chosen.kind != "makes a dataset" or not inspect.isclass(vars(module)[chosen.name]):
        return
    makers = [
        name
        for name in _bound_names(module)
        if not name.startswith("_")
        and inspect.isfunction(vars(module).get(name))
        and vars(module)[name].__module__ == module.__name__
        and not missing_arguments(vars(module)[name], frozenset())
    ]
    if makers:
        listed = ", ".join(f"`{name}`" for name in [chosen.name, *makers])
        raise TargetError(
            f"{holder} has no name that is sure to be a loader, but {listed}; name one, as in `{holder}:{makers[0]}`"
        )


def candidates(module: ModuleType, given: frozenset[str] = frozenset()) -> tuple[Candidate, ...]:
    """Return the names that the file itself binds to loaders and datasets, or to what makes them."""
    found = []
    for name in _bound_names(module):
        if not name.startswith("_") and name in vars(module):
            candidate = _candidate(name, vars(module)[name], module, given)
            if candidate is not None:
                found.append(candidate)
    return tuple(found)


def _bound_names(module: ModuleType) -> list[str]:
    """Return the names that the file's own top level binds, imports left out."""
    try:
        # Not from the file: a notebook's is no Python.
        tree = ast.parse("".join(linecache.getlines(module.__file__ or "")))
    except (SyntaxError, ValueError):
        return list(vars(module))
    names: dict[str, None] = {}
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] = None
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update((n.id, None) for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
    return list(names)


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        if isinstance(node, ast.If | ast.Try | ast.With):
            blocks = [getattr(node, key, []) for key in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            found += [inner for block in blocks for inner in _top_level(block)]
    return found


def _candidate(name: str, value: Any, module: ModuleType, given: frozenset[str]) -> Candidate | None:
    if inspect.isclass(value) or inspect.isfunction(value):
        if value.__module__ != module.__name__ or inspect.iscoroutinefunction(value):
            return None
        kind = _made_kind(name, value)
        missing = missing_arguments(value, given)
        return None if kind is None or missing is None else Candidate(name, kind, tuple(missing))
    if _holds_loader(value):
        return Candidate(name, "loader")
    return Candidate(name, "dataset") if is_certain(value) else None


def _holds_loader(value: Any) -> bool:
    choices = choices_of(value)
    if choices is not None:
        return True
    return is_torch_loader(value) or (is_certain(value) and "loader" in type(value).__name__.lower())


def _made_kind(name: str, value: Any) -> Kind | None:
    """Return what a class or function makes, by its type, its annotation, or its name."""
    from torch.utils.data import DataLoader, Dataset

    if inspect.isclass(value):
        if issubclass(value, DataLoader) or any(c.__name__ == "LightningDataModule" for c in value.__mro__):
            return "makes a loader"
        return "makes a dataset" if issubclass(value, Dataset) else None
    returns = str(attribute(value, "__annotations__", {}).get("return", ""))
    for text in (returns, name):
        if _LOADER_NAME.search(text):
            return "makes a loader"
        if _DATASET_NAME.search(text):
            return "makes a dataset"
    return None
