"""`--python PATH`: the user's code runs in another environment, which has torch and not dldoctor."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PIPELINE = """
import sys
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        return {"x": torch.full((3,), float("nan") if index == 7 else float(index)), "label": index % 3}

def make_loader(workers=2):
    print("modules of dldoctor's environment:", sorted({"typer", "rich", "msgspec", "psutil"} & set(sys.modules)))
    return DataLoader(Rows(), batch_size=4, num_workers=workers)
"""


def needed_by(*names: str) -> set[str]:
    """The distributions that these need, themselves included, as they are installed here."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if distribution.name in found:
            continue
        found.add(distribution.name)
        waiting += [
            re.split(r"[^\w.-]", line, maxsplit=1)[0]
            for line in distribution.requires or ()
            if "extra ==" not in line
        ]
    return found


def top_level_files(name: str) -> Iterator[str]:
    """The entries of site-packages that a distribution put there."""
    parts = {file.parts[0] for file in importlib.metadata.distribution(name).files or ()}
    return (part for part in parts if part not in ("..", "__pycache__"))


def environment(folder: Path, *packages: str) -> str:
    """Make an environment of its own that has just these packages, by links; return its interpreter."""
    venv.create(folder, symlinks=True, with_pip=False)
    library = next(folder.glob("lib/python*/site-packages"))
    installed = Path(sysconfig.get_path("purelib"))
    for name in needed_by(*packages):
        for entry in top_level_files(name):
            if not (library / entry).exists():
                (library / entry).symlink_to(installed / entry)
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def torch_only(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with torch, without numpy and without anything of dldoctor's."""
    return environment(tmp_path_factory.mktemp("torch_only") / "env", "torch")


def dldoctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command beside a pipeline."""
    (folder / "data.py").write_text(PIPELINE)
    return subprocess.run(
        [sys.executable, "-m", "dldoctor", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )


def test_the_environment_lacks_dldoctor(torch_only: str, tmp_path: Path) -> None:
    """Or the tests below would prove nothing."""
    looked_for = ("dldoctor", "typer", "rich", "msgspec", "psutil", "numpy", "torch")
    there = [
        module
        for module in looked_for
        if subprocess.run(
            [torch_only, "-c", f"import {module}"], cwd=tmp_path, capture_output=True, check=False
        ).returncode
        == 0
    ]
    assert there == ["torch"]


@pytest.mark.parametrize("command", ["dry-run", "check-workers", "check-labels", "watch-memory"])
def test_a_loader_is_judged_in_an_environment_without_dldoctor(
    torch_only: str, tmp_path: Path, command: str
) -> None:
    """The findings are the same, workers included, and nothing of ours is needed there."""
    options = ("--time-budget", "25", "--batches", "12", "-o", "report.json", "--python", torch_only)
    done = dldoctor(tmp_path, command, "data.py:make_loader", *options)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["complete"] is True
    assert report["loader"]["num_workers"] == 2
    if command == "dry-run":
        assert [(one["rule"], one["samples"]) for one in report["findings"] if one["level"] == "error"] == [
            ("DL201", [7])
        ]
        assert "modules of dldoctor's environment: []" in json.dumps(report["evidence"])


def test_an_interpreter_without_torch_is_named(tmp_path: Path) -> None:
    """Status 2, the interpreter and what it lacks."""
    bare = environment(tmp_path / "env")
    done = dldoctor(tmp_path, "dry-run", "data.py:make_loader", "--python", bare)
    assert done.returncode == 2
    assert f"{bare} has no torch" in done.stderr


def test_an_interpreter_that_is_too_old_is_named(tmp_path: Path) -> None:
    """Status 2 and the version that is needed."""
    old = tmp_path / "old-python"
    script = "import sys; sys.version_info = (3, 10, 4); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{script}" "$2"\n')
    old.chmod(0o755)
    done = dldoctor(tmp_path, "dry-run", "data.py:make_loader", "--python", str(old))
    assert done.returncode == 2
    assert f"{old} is older than Python 3.11" in done.stderr


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Status 2 and the path."""
    done = dldoctor(tmp_path, "dry-run", "data.py:make_loader", "--python", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "nowhere" in done.stderr
