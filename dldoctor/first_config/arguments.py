"""Which arguments a function or class must be given, by its source."""

from __future__ import annotations

import ast
from collections.abc import Callable

FindClass = Callable[[str], "ast.ClassDef | None"]


def missing_of_function(node: ast.FunctionDef, *, bound: bool = False) -> tuple[str, ...]:
    """Return the arguments without a default; `bound` leaves out the first."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    without = positional[: len(positional) - len(arguments.defaults)][1 if bound else 0 :]
    named = [
        one for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is None
    ]
    return tuple(one.arg for one in (*without, *named))


def missing_of_class(node: ast.ClassDef, find: FindClass) -> tuple[str, ...] | None:
    """Return what its constructor must be given, bases of the same file included.

    Null for a class that nobody calls as it stands: one with abstract methods, or whose constructor
    comes from a loader class of another file.
    """
    seen: set[str] = set()
    own: ast.ClassDef | None = node
    if any("abstract" in ast.unparse(d) for n in node.body for d in getattr(n, "decorator_list", [])):
        return None
    while own is not None and own.name not in seen:
        seen.add(own.name)
        for item in own.body:
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                return missing_of_function(item, bound=True)
        if any("dataclass" in ast.unparse(decorator) for decorator in own.decorator_list):
            return tuple(
                item.target.id
                for item in own.body
                if isinstance(item, ast.AnnAssign)
                and item.value is None
                and isinstance(item.target, ast.Name)
            )
        bases = [base.id for base in own.bases if isinstance(base, ast.Name)]
        nearest = next((found for name in bases if (found := find(name))), None)
        if nearest is None:
            known = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in own.bases}
            plain = {"Dataset", "IterableDataset", "LightningDataModule"}
            return () if known & plain else None
        own = nearest
    return None
