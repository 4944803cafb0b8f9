"""A notebook as Python: the code of its cells up to the one that defines a name.

Each line of code keeps the number that it has in the ``.ipynb`` file, where Jupyter writes one line
of source a line; so every place that is reported can be opened. Where a file is laid out otherwise,
lines are counted through the code cells. What only IPython understands (``%matplotlib``, ``!ls``) is
left out. This file needs neither torch nor the user's Python.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dldoctor.errors import TargetError, nearest
from dldoctor.targets.user_code import shown

SUFFIX = ".ipynb"
_MAGIC = re.compile(r"^(\s*)([%!?]|\w[\w, ]*=\s*[%!]|[\w.]+\?{1,2}\s*$)")
_PYTHON_CELLS = ("time", "timeit", "capture", "prun")
"""Magics whose cell is Python all the same."""
_LOADER_NAME = re.compile(r"loader|data_?module|trainer", re.IGNORECASE)


@dataclass(frozen=True)
class _Cell:
    lines: tuple[str, ...]
    """Its code as Python, without what only IPython understands."""
    first: int
    """Line of its first line."""
    names: frozenset[str]
    """What its top level binds; nothing where it does not parse."""


def is_notebook(path: Path | None) -> bool:
    """Whether a file is a notebook, by its name."""
    return path is not None and path.suffix == SUFFIX


def code_up_to(path: Path, name: str | None) -> str:
    """Return the source of the cells up to the last one that defines the name, each line at its own number.

    Raises:
        TargetError: the file is no notebook of Python, or defines no such name.
    """
    cells = tuple(_cells(path))
    wanted = name.partition(".")[0] if name else _only_loader(cells, path)
    last = next((i for i in reversed(range(len(cells))) if wanted in cells[i].names), None)
    if last is None:
        known = sorted(frozenset[str]().union(*(cell.names for cell in cells)))
        raise TargetError(f"no cell of {shown(path)} defines `{wanted}`{nearest(wanted, known)}")
    lines: list[str] = []
    for cell in cells[: last + 1]:
        lines += [""] * (cell.first - 1 - len(lines))
        lines += cell.lines
    return "\n".join(lines) + "\n"


def _only_loader(cells: tuple[_Cell, ...], path: Path) -> str:
    names = frozenset[str]().union(*(cell.names for cell in cells))
    found = sorted(name for name in names if _LOADER_NAME.search(name) and not name[:1].isupper())
    if len(found) == 1:
        return found[0]
    listed = f" ({', '.join(f'`{one}`' for one in found)})" if found else ""
    example = found[0] if found else "loader"
    raise TargetError(
        f"{shown(path)} is a notebook, and which of its names is meant is not told{listed}; name it, as in "
        f"`{shown(path)}:{example}`"
    )


def _cells(path: Path) -> Iterator[_Cell]:
    text, content = _read(path)
    sources = [cell.get("source", "") for cell in content["cells"]]
    firsts = _lines_in_file(text, sources)
    counted = 1
    for i, cell in enumerate(content["cells"]):
        if cell.get("cell_type") != "code":
            continue
        code = "".join(sources[i]).splitlines()
        first = firsts[i] if firsts is not None else counted
        counted += len(code) + 1
        if code and first is not None:
            yield _python(tuple(code), first)


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise TargetError(f"{shown(path)} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise TargetError(f"{shown(path)} is not a notebook: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise TargetError(f"{shown(path)} is not a notebook of version 4; save it with a newer Jupyter")
    about = content.get("metadata", {})
    language = about.get("kernelspec", {}).get("language") or about.get("language_info", {}).get("name")
    if language not in (None, "python"):
        raise TargetError(f"{shown(path)} is a notebook of {language}, not of Python")
    return text, content


def _lines_in_file(text: str, sources: list[str | list[str]]) -> list[int | None] | None:
    """Return the line of the file at which each cell's code begins; null where the file is not laid out so."""
    raw = text.splitlines()
    starts = iter([i + 1 for i, line in enumerate(raw) if line.strip() == '"source": ['])
    firsts: list[int | None] = []
    for source in sources:
        if not isinstance(source, list):
            return None
        start = next(starts, None) if source else None
        if source and (start is None or not _stands_at(raw, start, source)):
            return None
        firsts.append(None if start is None else start + 1)
    return firsts


def _stands_at(raw: list[str], start: int, source: list[str]) -> bool:
    if start + len(source) > len(raw):
        return False
    try:
        return [json.loads(line.strip().rstrip(",")) for line in raw[start : start + len(source)]] == source
    except ValueError:
        return False


def _python(code: tuple[str, ...], first: int) -> _Cell:
    """Return a cell without its magics; code that parses as it is has none."""
    tree = _parsed(code)
    if tree is None:
        code = _without_magics(code)
        tree = _parsed(code)
    return _Cell(code, first, _bound(tree) if tree is not None else frozenset())


def _parsed(code: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("\n".join(code))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _without_magics(code: tuple[str, ...]) -> tuple[str, ...]:
    head = next((line for line in code if line.strip()), "").strip()
    if head.startswith("%%"):
        if head[2:].split(maxsplit=1)[:1] not in [[name] for name in _PYTHON_CELLS]:
            return ("",) * len(code)
        at = next(i for i, line in enumerate(code) if line.strip())
        code = (*code[:at], "", *code[at + 1 :])
    # `pass` keeps a block whose only line it was.
    return tuple(f"{found[1]}pass" if (found := _MAGIC.match(line)) else line for line in code)


def _bound(tree: ast.Module) -> frozenset[str]:
    """Return the names that the top level of a cell binds."""
    return frozenset(name for statement in tree.body for name in _bound_by(statement))


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (one.asname or one.name.partition(".")[0] for one in node.names)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _bound_by(child)
