"""What is built from the checkout works where it is installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_the_samples_and_nothing_else(root: Path, tmp_path: Path) -> None:
    """`dldoctor demo` needs the samples; tests and docs stay at home."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"dldoctor/py.typed", "dldoctor/cli/main.py", "dldoctor/_samples/captions/pipeline.py"} <= set(
        names
    )
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"dldoctor"}
    assert [name for name in names if name.endswith(".pyc")] == []
    assert wheel.stat().st_size < 3_000_000


def test_constraints_are_exact_versions_and_nothing_else(root: Path) -> None:
    """No path, no address, no local build; torch is the version that is tested."""
    lines = [line for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line)] == []
    assert "torch==2.13.0" in lines


def test_every_dependency_is_pinned_and_has_its_reason(root: Path) -> None:
    """A dependency that no one can give a reason for is not added."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[<>=]", entry)[0] for group in groups for entry in group}
    pinned = {line.split("==")[0].lower() for line in (root / "constraints.txt").read_text().splitlines()}
    reasons = set(
        re.findall(r"^\| ([a-z0-9-]+) \|", (root / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    )
    assert names - pinned == set()
    assert reasons - {"package"} == names
