"""Imports follow the arrow: target, probe, evidence, check, finding, report, render."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dldoctor"

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "finding": set(),
    "intent": set(),
    "sizes": set(),
    "evidence": {"finding"},
    "roles": {"errors", "finding", "foreign", "intent", "evidence"},
    "sweep": set(),
    "cores": set(),
    "page_cache": set(),
    "foreign": set(),
    "targets": {"errors", "finding", "foreign", "intent", "evidence"},
    "probes": {"cores", "page_cache", "sweep", "errors", "finding", "foreign", "intent", "evidence", "targets", "roles", "child"},
    # A probe talks to the parent through `child`, whose entry point starts the probes.
    "child": {"errors", "finding", "intent", "evidence", "targets", "roles", "probes", "machine"},
    "checks": {"finding", "intent", "evidence"},
    "third_party": {"finding", "evidence", "checks"},
    "rules": {"errors", "checks", "third_party"},
    "commands": {"checks", "finding", "third_party"},
    "progress": set(),
    "reproduce": {"finding", "intent"},
    "report": {"errors", "finding", "intent", "evidence"},
    "baseline": {"finding", "noise", "report"},
    "noise": {"evidence", "finding"},
    "compare": {"baseline", "finding", "noise", "report"},
    "splits": {"evidence", "report"},
    "compare_targets": {"commands", "evidence", "finding", "judge", "report", "reproduce", "request", "splits"},
    # The page of a rule goes with its findings, where a format has a place for it.
    "render": {"", "errors", "finding", "intent", "evidence", "report", "baseline", "compare", "rules"},
    "config": {"errors", "finding", "intent", "sizes", "rule_settings"},
    "config_schema": {"config", "intent", "rule_settings", "rules", "third_party"},
    "rule_settings": {"errors", "checks", "rules"},
    # It reads source only: of `targets` it uses what tells whether a file can be imported.
    "first_config": {"errors", "intent", "targets"},
    "machine": {"cores", "errors", "finding", "intent", "evidence"},
    "environment": {"errors", "finding", "intent", "evidence", "machine", "cores", "page_cache"},
    "diagnose_machine": {"", "commands", "environment", "evidence", "judge", "machine", "report", "request"},
    "gather": {"child", "commands", "evidence", "intent", "machine"},
    "request": {"intent"},
    "judge": {
        "checks", "commands", "evidence", "finding", "report", "reproduce", "request", "rule_settings", "rules", "third_party",
    },
    "diagnose": {
        "environment", "machine", "progress", "commands", "reproduce", "gather", "judge", "request",
        "", "errors", "evidence", "report", "rules", "child", "probes", "targets",
    },
    "in_python": {"config", "diagnose", "errors", "finding", "intent", "render", "report", "request", "rules", ""},
    "": set(),
}  # fmt: skip
"""Part of the package to the parts that it may import; `cli` may import all, ``""`` is ``dldoctor`` itself."""
ENTRY = {"cli", "__main__", "pytest_plugin"}

CHILD_STARTS_AT = "dldoctor.child.main"
"""Where the process begins that runs in the user's interpreter; there may be nothing but Python and torch."""
WITHOUT_TORCH = {"foreign", "sweep", "cores", "page_cache", "evidence", "checks", "errors", "finding", "intent", "report", "render", "rules", "config", "first_config", "rule_settings", "third_party", "config_schema", "noise", "compare", "compare_targets", "splits", "baseline", "cli", "sizes", "machine", "diagnose_machine", "environment", "commands", "reproduce", "progress", "request", "judge", "diagnose", "gather", "in_python", "pytest_plugin", "__main__", ""}  # fmt: skip
OURS_ALONE = {"typer", "rich", "psutil", "msgspec", "jinja2", "pydantic", "pynvml", "memory_profiler"}
"""Dependencies of ours that the user's interpreter need not have."""


@dataclass(frozen=True)
class Import:
    """One import statement: who imports what, and whether it waits for a call."""

    importer: str
    line: int
    module: str
    at_top: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.module}"

    @property
    def part(self) -> str:
        return _part(self.importer)


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in PACKAGE.rglob("*.py") if "_samples" not in path.parts}


def _below(tree: ast.AST, *, of: Callable[[ast.AST], bool]) -> set[int]:
    """Return the ids of all nodes that stand in a node of that kind, each looked at once."""
    found: set[int] = set()
    waiting = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        inside = inside or of(node)
        if inside:
            found.add(id(node))
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _found() -> Iterator[Import]:
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        later = _below(tree, of=lambda node: _is_function(node) or _is_for_types(node))
        for node in ast.walk(tree):
            at_top = id(node) not in later
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(name, node.lineno, _owner(alias.name), at_top)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}:{node.lineno} imports relatively"
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield Import(
                        name, node.lineno, whole if whole in MODULES else _owner(node.module or ""), at_top
                    )


def _owner(module: str) -> str:
    return module if module in MODULES else module.split(".", maxsplit=1)[0]


@cache
def _imports() -> tuple[Import, ...]:
    """Return all imports of the package; the tests ask, so that collecting them reads nothing."""
    return tuple(_found())


def _lines(imports: Iterator[Import]) -> list[str]:
    return [str(one) for one in imports]


def test_every_part_has_its_place_in_the_table() -> None:
    """A new folder or module of the package is a decision, made in this table."""
    assert {_part(name) for name in MODULES} - ENTRY == set(MAY_IMPORT) & {_part(name) for name in MODULES}


def test_each_part_imports_only_what_it_may() -> None:
    """No import goes against the arrow, not even inside a function."""

    def against(one: Import) -> bool:
        other = _part(one.module)
        ours = one.module.split(".")[0] == "dldoctor"
        return ours and one.part not in ENTRY and other not in MAY_IMPORT[one.part] | {one.part}

    assert _lines(one for one in _imports() if against(one)) == []


def _reached_from(start: str) -> set[str]:
    """Return the modules of ours that importing one may import, now or in a function."""
    reached: set[str] = set()
    waiting = {start}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        parents = {name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)}
        imported = {one.module for one in _imports() if one.importer == name and one.module in MODULES}
        waiting |= (parents | imported) - reached
    return reached


def test_the_child_needs_python_and_torch_alone() -> None:
    """At import the child asks for the standard library, and nowhere for a dependency that only we have."""
    child = _reached_from(CHILD_STARTS_AT)
    assert {"dldoctor.probes.loader", "dldoctor.targets.resolve", "dldoctor.roles"} <= child

    def foreign(one: Import) -> bool:
        name = one.module.split(".")[0]
        if one.importer not in child or name in sys.stdlib_module_names or name == "dldoctor":
            return False
        return name in OURS_ALONE or (one.at_top and name != "torch")

    assert _lines(one for one in _imports() if foreign(one)) == []


def test_torch_is_imported_when_a_function_needs_it() -> None:
    """Only single modules of probes and targets (subclasses of torch's classes) need torch to be imported."""
    needing = {"torch"}
    while more := {one.importer for one in _imports() if one.at_top and one.module in needing} - needing:
        needing |= more
    packages = {_module(path) for path in PACKAGE.rglob("__init__.py")}
    assert {name for name in needing - {"torch"} if _part(name) not in {"probes", "targets"}} == set()
    assert needing & packages == set()


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_only_the_child_imports_torch(library: str) -> None:
    """What judges, renders and prints knows no tensor."""
    assert (
        _lines(one for one in _imports() if one.part in WITHOUT_TORCH and one.module.split(".")[0] == library)
        == []
    )


def test_only_the_command_line_prints_and_exits() -> None:
    """The library neither prints nor ends the process; the child ends itself."""
    found = []
    for name, path in MODULES.items():
        if _part(name) in ENTRY:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "sys.exit", "exit", "quit"}:
                found.append(f"{name}:{node.lineno}")
    assert [place for place in found if not place.startswith("dldoctor.child")] == []
