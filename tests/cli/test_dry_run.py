"""From a file of the user's to a report, for real."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dldoctor.report import loads

pytestmark = pytest.mark.slow

HEALTHY = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    def make(count=32, size=4):
        values = torch.arange(count * size, dtype=torch.float32).reshape(count, size)
        return DataLoader(TensorDataset(values), batch_size=8, shuffle=True)

    def broken():
        return DataLoader([torch.zeros(2), torch.zeros(3)] * 8, batch_size=4, shuffle=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.py").write_text(textwrap.dedent(HEALTHY))
    return tmp_path


def dry_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `dldoctor dry-run` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "dldoctor", "dry-run", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        stdin=subprocess.DEVNULL,
    )


def test_a_healthy_loader_is_status_0_and_says_what_was_judged(folder: Path) -> None:
    """Arguments reach the user's function; the report is written whole."""
    done = dry_run(folder, "data.py:make", "-k", "count=16", "-o", "out.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    report = loads((folder / "out.json").read_bytes())
    assert (report.command, report.target, report.complete) == ("dry-run", "data.py:make", True)
    assert [found for found in report.findings if found.level.value != "info"] == []
    assert report.evidence.loader is not None
    assert report.evidence.loader.dataset_length == 16
    assert [check.status for check in report.checks].count("clean") > 0
    assert sorted(path.name for path in folder.iterdir() if path.name != "__pycache__") == [
        "data.py",
        "out.json",
    ]


def test_a_finding_is_status_1_and_only_the_chosen_rules_count(folder: Path) -> None:
    """`--select`, `--ignore` and `--fail-on` act on the same run."""
    assert dry_run(folder, "data.py:broken", "--quiet").returncode == 1
    assert dry_run(folder, "data.py:broken", "--quiet", "--fail-on", "never").returncode == 0
    assert dry_run(folder, "data.py:broken", "--quiet", "--ignore", "DL1").returncode == 0
    assert dry_run(folder, "data.py:broken", "--quiet", "--select", "shape-varies").returncode == 1


@pytest.mark.parametrize("target", ["data.py:maek", "dat.py:make", "nowhere.data:make"])
def test_a_target_that_is_not_there_is_status_2_and_one_line(folder: Path, target: str) -> None:
    """Without a traceback of ours."""
    done = dry_run(folder, target)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("dldoctor: ")


def test_the_nearest_name_of_the_file_is_offered(folder: Path) -> None:
    """As the contract says."""
    assert "did you mean `make`?" in dry_run(folder, "data.py:maek").stderr


def test_targets_of_a_config_file_are_run_one_after_the_other(folder: Path) -> None:
    """Each has its own report, and the status is the worst."""
    (folder / "dldoctor.toml").write_text(
        '[targets.good]\ntarget = "data.py:make"\nkwargs = {size = 2}\n[targets.bad]\ntarget = "data.py:broken"\n'
    )
    assert dry_run(folder, "-o", "{target}.json", "--quiet").returncode == 1
    names = {path.stem: loads(path.read_bytes()).target for path in folder.glob("*.json")}
    assert names == {"good": "data.py:make", "bad": "data.py:broken"}


def test_the_demo_shows_a_fault_and_its_healthy_twin_shows_none(tmp_path: Path) -> None:
    """Both end with 0, since nothing of the user's was judged."""
    levels = {}
    for name, options in {"ill": [], "healthy": ["--healthy"]}.items():
        command = [sys.executable, "-m", "dldoctor", "demo", *options, "--quiet", "-o", f"{name}.json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        report = loads((tmp_path / f"{name}.json").read_bytes())
        levels[name] = {found.name for found in report.findings if found.level.value != "info"}
    assert levels == {"ill": {"sample-substituted"}, "healthy": set()}
