"""The pytest plugin, tried by running pytest inside of pytest."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

LOADERS = """
import pytest, torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, bad=None):
        self.bad = bad

    def __len__(self):
        return 64

    def __getitem__(self, index):
        value = torch.arange(8.0) + index
        return value / 0.0 if index == self.bad else value

QUICK = {"time_budget": 8, "select": ["DL201", "DL113"]}
"""


def installed() -> list[str]:
    """What turns the plugin on, where its entry point does not."""
    names = {entry.name for entry in metadata.entry_points(group="pytest11")}
    return [] if "dldoctor" in names else ["-p", "dldoctor.pytest_plugin"]


def run(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(LOADERS + body)
    return pytester.runpytest_subprocess(*installed(), "-p", "no:cacheprovider", *arguments)


@pytest.mark.slow
def test_a_healthy_loader_passes_and_an_ill_one_shows_its_findings(pytester: pytest.Pytester) -> None:
    """The failure has the findings as the terminal shows them, and no traceback of ours."""
    body = """
def test_healthy(dldoctor):
    report = dldoctor.assert_healthy(DataLoader(Rows(), batch_size=8), role="train", **QUICK)
    assert report.command == "checkup"

def test_ill(dldoctor):
    dldoctor.assert_healthy(DataLoader(Rows(bad=5), batch_size=8), role="train", **QUICK)

def test_ignored(dldoctor):
    dldoctor.assert_healthy(DataLoader(Rows(bad=5), batch_size=8), ignore=["DL201"], **QUICK)
"""
    result = run(pytester, body)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["the loader is not healthy", "*error DL201 non-finite*"])
    result.stdout.no_fnmatch_line("*in_python.py*")


@pytest.mark.slow
def test_the_marker_says_what_the_loaders_of_a_test_are_for(pytester: pytest.Pytester) -> None:
    """An option of the call goes before that of the marker; the report has what was declared."""
    body = """
pytestmark = pytest.mark.dldoctor(role="eval", time_budget=8, select=["DL113"])

@pytest.mark.dldoctor(task="classification")
def test_declared(dldoctor):
    loader = DataLoader(Rows(), batch_size=8)
    assert dldoctor.checkup(loader).declared == {"role": "eval", "task": "classification"}
    assert dldoctor.checkup(loader, role="train").declared["role"] == "train"
"""
    run(pytester, body, "--strict-markers").assert_outcomes(passed=1)


def test_it_costs_nothing_where_it_is_not_used(tmp_path: Path) -> None:
    """Neither torch nor anything else that is heavy is imported for a test that does not ask for it."""
    (tmp_path / "test_plain.py").write_text(
        "import sys\n"
        "def test_plain():\n"
        "    assert {'torch', 'numpy', 'msgspec', 'psutil', 'dldoctor.diagnose'} & set(sys.modules) == set()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "dldoctor.pytest_plugin", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(Path(__file__).parent.parent),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    )
    assert done.returncode == 0, done.stdout


CONFIG = """
fail-on = "warning"

[targets.good]
target = "pipelines.py:make"
role = "train"

[targets.bad]
target = "pipelines.py:make"
kwargs = {bad = 5}
"""
PIPELINES = (
    LOADERS.replace("import pytest, torch", "import torch")
    + """
def make(bad=None):
    return DataLoader(Rows(bad), batch_size=8)
"""
)
NAMED = """
def test_named(dldoctor_target):
    report = dldoctor_target.assert_healthy(time_budget=8, select=["DL201"])
    assert (report.target, report.declared) == ("pipelines.py:make", {"role": "train"})
"""


@pytest.mark.slow
def test_a_test_runs_once_for_each_named_target(pytester: pytest.Pytester) -> None:
    """By their names, with what the file declares; findings stand in the failure and in JUnit."""
    pytester.path.joinpath("dldoctor.toml").write_text(CONFIG)
    pytester.path.joinpath("pipelines.py").write_text(PIPELINES)
    pytester.makepyfile(NAMED)
    arguments = (*installed(), "-p", "no:cacheprovider", "-v", "--junit-xml", "junit.xml")
    result = pytester.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_named?good? PASSED*", "*test_named?bad? FAILED*"])
    told = pytester.path.joinpath("junit.xml").read_text()
    assert "error DL201 non-finite" in told
    assert "dldoctor dry-run pipelines.py:make -k bad=5 --ids 5 --select DL201" in told


def test_without_a_named_target_the_test_says_so(pytester: pytest.Pytester) -> None:
    """Rather than to pass with nothing examined."""
    pytester.makepyfile(NAMED)
    result = pytester.runpytest_subprocess(*installed(), "-p", "no:cacheprovider")
    assert result.ret in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR}
    assert "test_named asks for `dldoctor_target`" in result.stdout.str() + result.stderr.str()


def test_a_mistake_in_the_config_is_told_where_the_tests_are_collected(pytester: pytest.Pytester) -> None:
    """With the nearest key."""
    pytester.path.joinpath("dldoctor.toml").write_text(CONFIG.replace("role", "rolle"))
    pytester.makepyfile(NAMED)
    result = pytester.runpytest_subprocess(*installed(), "-p", "no:cacheprovider")
    assert "unknown key `rolle`; did you mean `role`?" in result.stdout.str() + result.stderr.str()
