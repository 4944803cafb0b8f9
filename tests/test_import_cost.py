"""Help comes at once: what is heavy is imported when it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "torch", "numpy", "PIL", "jinja2", "psutil", "msgspec", "rich", "pydantic", "pynvml", "pandas", "memory_profiler",
}  # fmt: skip
PROBE = """
import json, sys
from dldoctor.cli.main import run
status = run({arguments!r})
print("\\n" + json.dumps([status, sorted(set(sys.modules) & set({heavy!r}))]))
"""


def _imported(*arguments: str) -> tuple[int, set[str]]:
    """Return the exit status, and the heavy modules that a command line imported in a fresh interpreter."""
    code = PROBE.format(arguments=list(arguments), heavy=sorted(HEAVY))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    status, modules = json.loads(done.stdout.splitlines()[-1])
    return status, set(modules)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)], ids=" ".join)
def test_help_and_version_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    """Not even rich: `dldoctor --help` answers in the time that Python and typer take."""
    assert _imported(*arguments) == (0, set())


@pytest.mark.parametrize(
    "arguments", [("rules",), ("explain", "DL113"), ("show", "--schema"), ("dry-run", "--help")], ids=" ".join
)
def test_commands_that_run_nothing_import_no_torch(arguments: tuple[str, ...]) -> None:
    """The command line never imports torch, numpy or the user's code."""
    status, modules = _imported(*arguments)
    assert status == 0
    assert modules & {"torch", "numpy", "PIL", "pandas", "jinja2", "psutil"} == set()


def test_the_package_itself_imports_nothing() -> None:
    """`import dldoctor` in a training script costs nothing."""
    code = "import sys; before = set(sys.modules); import dldoctor; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['dldoctor']"
