"""The GitHub Action: its own steps, run as a runner would, on a project with two named targets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

CONFIG = """
[tool.dldoctor.targets.good]
target = "data.py:make_loader"

[tool.dldoctor.targets.bad]
target = "data.py:make_loader"
kwargs = {broken = true}
"""
PIPELINE = """
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, broken):
        self.broken = broken
    def __len__(self):
        return 24
    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        x = torch.sin(torch.arange(8.0) * (index + 1))
        return x / 0 if self.broken and index == 5 else x

def make_loader(broken=False):
    return DataLoader(Rows(broken), batch_size=4)
"""


@pytest.fixture(scope="module")
def action(root: Path) -> dict[str, Any]:
    """The action as it is published."""
    return yaml.safe_load((root / "action.yml").read_text())


def test_every_input_that_is_used_is_declared_and_none_is_for_nothing(action: dict[str, Any]) -> None:
    """A typo in an expression is an empty text to a runner, and no error."""
    text = json.dumps(action["runs"])
    assert [name for name in action["inputs"] if f"inputs.{name}" not in text] == []
    for step in action["runs"]["steps"]:
        assert ("run" in step) == ("shell" in step)
        used = {name for name in action["inputs"] if f"inputs.{name}" in json.dumps(step.get("env", {}))}
        assert f"${{{{ inputs.{used}" not in step.get("run", ""), "an input in a script could run as code"
        assert "${{" not in step.get("run", "")


def step(action: dict[str, Any], name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of one step with its inputs, its defaults where none is given."""
    (one,) = [found for found in action["runs"]["steps"] if found["name"] == name]
    values = {key: value["default"] for key, value in action["inputs"].items()} | inputs
    given = {}
    for key, value in one["env"].items():
        expression = value.removeprefix("${{").removesuffix("}}").strip()
        given[key] = values.get(expression.removeprefix("inputs."), inputs.get(expression, ""))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    files = {"GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", one["run"]],
        cwd=folder,
        env={**os.environ, **files, **given, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_steps_examine_named_targets_and_fail_the_job(action: dict[str, Any], tmp_path: Path) -> None:
    """Each target is examined although the first fails; reports, annotations, summary, and then the status."""
    (tmp_path / "dldoctor.toml").write_text(CONFIG.replace("tool.dldoctor.", ""))
    (tmp_path / "data.py").write_text(PIPELINE)
    done = step(action, "Examine", tmp_path, command="dry-run", targets="bad good", options="--quiet")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "output").read_text() == "status=1\n"
    written = sorted(path.name for path in (tmp_path / "dldoctor-report").iterdir())
    assert written == sorted(
        f"{name}.{form}" for name in ("bad", "good") for form in ("json", "sarif", "html", "md")
    )
    shown = step(action, "Show", tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "::error file=data.py,line=" in shown.stdout
    assert "title=DL201 non-finite" in shown.stdout
    assert (tmp_path / "summary").read_text().count("### dldoctor dry-run") == 2
    assert step(action, "Judge", tmp_path, **{"steps.examine.outputs.status": "1"}).returncode == 1
    assert step(action, "Judge", tmp_path).returncode == 2


@pytest.mark.slow
def test_without_targets_all_named_ones_are_examined(action: dict[str, Any], tmp_path: Path) -> None:
    """One command, a report for each."""
    (tmp_path / "dldoctor.toml").write_text(CONFIG.replace("tool.dldoctor.", ""))
    (tmp_path / "data.py").write_text(PIPELINE)
    step(action, "Examine", tmp_path, command="dry-run", options="--select DL1 --quiet")
    assert (tmp_path / "output").read_text() == "status=0\n"
    assert sorted(path.stem for path in (tmp_path / "dldoctor-report").glob("*.json")) == ["bad", "good"]


def test_the_hook_runs_a_command_that_exists(root: Path) -> None:
    """And nothing that needs file names."""
    from dldoctor.cli.help import COMMANDS

    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    program, command = hook["entry"].split()
    assert (program, hook["pass_filenames"]) == ("dldoctor", False)
    assert command in COMMANDS
