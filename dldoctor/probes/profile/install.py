"""Finds the user's live functions and swaps their code for code with timers.

Whole files are compiled, so that closures, `super()` and mangled names stay right; a function keeps
its identity and only its ``__code__`` changes. A file whose source does not give the code that is
running (edited since, generated, zipped without source) is left alone, and that is said.
"""

from __future__ import annotations

import ast
import gc
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from dldoctor.probes.frames import shown_path
from dldoctor.probes.profile.resolve import Resolver
from dldoctor.probes.profile.rewrite import Form, Names, Rewriter, Statement
from dldoctor.probes.profile.tracer import Tracer, publish

FILES_KEPT = 300
"""First-party files that get timers."""

Name = tuple[str, str, int, int]
"""File, qualified name and first line of a function, and its place among those that share them: lambdas do."""


@dataclass
class Function:
    """A function with timers."""

    name: Name
    original: CodeType
    form: Form | None = "statements"
    """None once it is left alone."""
    owners: list[FunctionType] = field(default_factory=list)
    keys: set[int] = field(default_factory=set)


class Instrumented:
    """All functions of this process that have timers."""

    def __init__(self, tracer: Tracer, files: tuple[str, ...]) -> None:
        """Put timers into every live function of these files whose source is known."""
        self.tracer = tracer
        self.statements: dict[int, tuple[str, Statement]] = {}
        self.resolver = Resolver(self.statements)
        tracer.resolve = self.resolver.resolve
        self.unseen: dict[str, str] = {}
        """File to the reason why nothing in it has timers."""
        self.left_alone: dict[str, int] = {}
        """Functions that run too often to be timed inside, with their boundaries per sample."""
        self._functions: dict[Name, Function] = {}
        self._owner_of: dict[int, Function] = {}
        publish(tracer)
        for path, functions in sorted(_live_functions(frozenset(files)).items())[:FILES_KEPT]:
            self._file(path, functions)

    def _file(self, path: str, functions: list[FunctionType]) -> None:
        codes = self._originals(path)
        if codes is None:
            return
        for one in functions:
            key = (one.__code__.co_qualname, one.__code__.co_firstlineno)
            alike = [place for place, code in enumerate(codes.get(key, ())) if _same(code, one.__code__)]
            if not alike:
                self.unseen[shown_path(path)] = "its source is not what is running"
                continue
            name = (path, *key, alike[0])
            self._functions.setdefault(name, Function(name, one.__code__)).owners.append(one)
        self._swap(path, "statements", None)

    def _originals(self, path: str) -> dict[tuple[str, int], list[CodeType]] | None:
        try:
            return _by_name(_codes(compile(_source(path), path, "exec", dont_inherit=True)))
        except (OSError, SyntaxError, ValueError, UnicodeError):
            self.unseen[shown_path(path)] = "its source cannot be read"
            return None

    def _swap(self, path: str, form: Form, only: Name | None) -> None:
        tree = ast.parse(_source(path))
        number = len(self._owner_of)
        numbers: dict[tuple[str, int], int] = {}
        keys: dict[str, set[int]] = {}

        def statement(one: Statement) -> int:
            key = self.tracer.new_key()
            self.tracer.unresolved.add(key)
            self.statements[key] = (path, one)
            keys.setdefault(one.function, set()).add(key)
            return key

        def function(name: str, line: int) -> int:
            return numbers.setdefault((name, line), number + len(numbers))

        tree = Rewriter(Names(statement, function), form).module(tree)
        new = _by_name(_codes(compile(tree, path, "exec", dont_inherit=True)))
        for name, entry in self._functions.items():
            if name[0] != path or (only is not None and name != only):
                continue
            codes = new.get(name[1:3], ())
            code = codes[name[3]] if name[3] < len(codes) else None
            if code is None or code.co_freevars != entry.original.co_freevars:
                continue
            entry.form, entry.keys = form, keys.get(name[1], set())
            for key in entry.keys:
                self._owner_of[key] = entry
            for owner in entry.owners:
                owner.__code__ = code

    def downgrade(self, key: int, boundaries: int) -> bool:
        """Time less of the function of a statement: first its loops as one, then nothing inside it."""
        entry = self._owner_of.get(key)
        if entry is None or entry.form is None:
            return False
        if entry.form == "statements":
            self._swap(entry.name[0], "loops", entry.name)
            return True
        entry.form = None
        for owner in entry.owners:
            owner.__code__ = entry.original
        self.left_alone[f"{entry.name[1]} ({shown_path(entry.name[0])}:{entry.name[2]})"] = boundaries
        return True

    def function_of(self, key: int) -> Any:
        """Return an object that stands for the function of a statement, or None."""
        return self._owner_of.get(key)


def _live_functions(files: frozenset[str]) -> dict[str, list[FunctionType]]:
    """Return the functions of these files, closures and lambdas included."""
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is not FunctionType or one.__code__.co_name == "<module>":
            continue
        if one.__code__.co_filename in files:
            found.setdefault(one.__code__.co_filename, []).append(one)
    return found


def _source(path: str) -> str:
    """Return the source of a file; a notebook's is no Python, and `linecache` has what ran."""
    linecache.checkcache(path)
    lines = linecache.getlines(path)
    if not lines:
        raise OSError(f"no source of {path}")
    return "".join(lines)


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _codes(constant)


def _by_name(codes: Iterator[tuple[tuple[str, int], CodeType]]) -> dict[tuple[str, int], list[CodeType]]:
    found: dict[tuple[str, int], list[CodeType]] = {}
    for name, code in codes:
        found.setdefault(name, []).append(code)
    return found


def _same(one: CodeType, other: CodeType) -> bool:
    return (one.co_code, one.co_names, _constants(one)) == (other.co_code, other.co_names, _constants(other))


def _constants(code: CodeType) -> str:
    return repr([constant for constant in code.co_consts if not isinstance(constant, CodeType)])
