"""Checks of other packages are judged like ours, and break nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from dldoctor.checks import CHECKS, Case
from dldoctor.checks.base import Check, insufficient
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Level
from dldoctor.third_party import GROUP, load, results_of

EXAMPLE = Path(__file__).parent / "example_checks"


@dataclass(frozen=True)
class Own(Check):
    rule = "OWN101"
    name = "own-fault"
    level = Level.WARNING

    def judge(self, case):
        yield self.finding("a fact", advice="a step")


def made(**values) -> type[Check]:
    return type("Made", (Own,), values)


def entry(monkeypatch: pytest.MonkeyPatch, value: object, name: str = "x") -> EntryPoint:
    module = ModuleType(f"package_of_{name}")
    module.named = value
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return EntryPoint(name, f"{module.__name__}:named", GROUP)


def test_an_entry_point_names_one_or_several(monkeypatch):
    """They come by number."""
    second = made(rule="OWN102", name="own-other")
    found = load(
        [entry(monkeypatch, (second, Own), "a"), entry(monkeypatch, made(rule="AB001", name="a-b"), "b")]
    )
    assert ([one.rule for one in found.checks], found.broken) == (["AB001", "OWN101", "OWN102"], ())


def abstract(self, more):
    """A constructor that asks for something."""


UNUSABLE = {
    "no class": ("a text", "'a text' is no subclass of dldoctor.checks.Check"),
    "no check": (int, "<class 'int'> is no subclass of dldoctor.checks.Check"),
    "a number of ours": (made(rule="DL999"), "its `rule` is 'DL999'; write it as `ACME101`"),
    "no name": (made(name="fault"), "its `name` is 'fault'; write it as `field-too-red`"),
    "a name of ours": (made(name="float64-field"), "DL214 float64-field is there already"),
    "no level": (made(level="bad"), "its `level` is no Level"),
    "unknown evidence": (made(needs=("tea",)), "it needs tea, which is no branch of the evidence"),
    "a constructor with arguments": (
        made(__init__=abstract), "abstract() missing 1 required positional argument: 'more'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_named_and_spoils_nothing(monkeypatch, case):
    """The other check of the same package is judged."""
    value, reason = UNUSABLE[case]
    found = load([entry(monkeypatch, (value, made(rule="OWN102", name="own-other")))])
    assert [one.rule for one in found.checks] == ["OWN102"]
    assert [(one.rule, one.status, one.reason) for one in found.broken] == [
        ("x", "skipped", f"the check of the package `?` cannot be used: {reason}")
    ]


def test_what_cannot_be_imported_is_named():
    """An exception, and an exit, of the other package's."""
    found = load([EntryPoint("x", "there_is_no_such_package:CHECKS", GROUP)])
    (broken,) = found.broken
    assert (found.checks, broken.reason) == (
        (),
        "the check of the package `?` cannot be loaded: ModuleNotFoundError: No module named 'there_is_no_such_package'",
    )


def broken_check(*results: object, error: Exception | None = None) -> Check:
    def judge(self, case):
        yield from results
        if error:
            raise error

    return made(judge=judge)()


FINE = Finding("OWN101", "own-fault", Level.RISK, "a fact", "a step")
FAILED = "this check of another package failed: "
UNSOUND = {
    "it raises": (broken_check(FINE, error=KeyError("k")), "KeyError: 'k'"),
    "a text": (broken_check("bad"), "it yielded what no report can hold: Expected `object`, got `str`"),
    "a value no JSON has": (
        broken_check(replace(FINE, facts={"x": Own})),
        "it yielded what no report can hold: Encoding objects of type abc.ABCMeta is unsupported",
    ),
    "another rule": (broken_check(replace(FINE, rule="DL301")), "it yielded a finding of DL301 own-fault"),
    "a level above its own": (
        broken_check(replace(FINE, level=Level.ERROR)), "its level is warning, but it yielded error",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNSOUND)
def test_a_check_that_fails_did_not_judge(case):
    """Nothing that it said before counts."""
    check, reason = UNSOUND[case]
    (said,) = results_of(check, Case(Evidence()))
    assert (said.status, said.reason.replace("type type", "type abc.ABCMeta")) == ("skipped", FAILED + reason)


def test_what_is_sound_stands():
    """Findings and reasons alike; a fault in a check of ours is one of ours."""
    assert results_of(Own(), Case(Evidence())) == (Own().finding("a fact", advice="a step"),)
    assert results_of(broken_check(insufficient("little")), Case(Evidence())) == (insufficient("little"),)

    class Faulty(Own):
        rule = CHECKS[0].rule

        def judge(self, case):
            raise KeyError

    with pytest.raises(KeyError):
        results_of(Faulty(), Case(Evidence()))


def command(folder: Path, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Call the command line in a process that has the example package on its path."""
    paths = os.pathsep.join(part for part in (str(EXAMPLE), path, os.getcwd()) if part)
    return subprocess.run(
        [sys.executable, "-m", "dldoctor", *arguments],
        check=False, cwd=folder, env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "120"}, capture_output=True, text=True,
    )  # fmt: skip


def test_an_installed_package_is_listed_explained_and_chosen(tmp_path):
    """By number, name, and the letters before its numbers."""
    listed = command(tmp_path, "rules")
    assert [line.split()[:2] for line in listed.stdout.splitlines() if line.startswith("ACME")] == [
        ["ACME101", "batch-too-large"]
    ]
    page = command(tmp_path, "explain", "acme101")
    assert (page.returncode, "Why it hurts" in page.stdout, "most" in page.stdout) == (0, True, True)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("dry-run", "--help")], ids=" ".join)
def test_help_loads_no_package(tmp_path, arguments):
    """It answers at once, whatever is installed."""
    folder = tmp_path / "loud-0.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text("[dldoctor.checks]\nloud = loud_checks:CHECKS\n")
    (tmp_path / "loud_checks.py").write_text("import sys\nprint('loaded', file=sys.stderr)\nCHECKS = ()\n")
    outputs = [command(tmp_path, *words, path=str(tmp_path)).stderr for words in (arguments, ("rules",))]
    assert outputs == ["", "loaded\n"]


@pytest.mark.slow
def test_an_installed_package_is_judged(tmp_path):
    """With its settings from the config; a broken one beside it stands in the report as not judged."""
    broken = tmp_path / "site" / "bad-0.1.dist-info"
    broken.mkdir(parents=True)
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 0.1\n")
    (broken / "entry_points.txt").write_text("[dldoctor.checks]\nbad = bad_checks:CHECKS\n")
    (tmp_path / "data.py").write_text(
        "import torch\nfrom torch.utils.data import DataLoader\nloader = DataLoader(list(torch.rand(8, 2)), batch_size=4)\n"
    )
    (tmp_path / "dldoctor.toml").write_text("[rules.batch-too-large]\nmost = 2\n")
    arguments = (
        "dry-run",
        "data.py:loader",
        "--select",
        "ACME,DL1",
        "--fail-on",
        "warning",
        "-o",
        "r.json",
        "-o",
        "r.sarif",
    )
    done = command(tmp_path, *arguments, path=str(tmp_path / "site"))
    report = json.loads((tmp_path / "r.json").read_text())
    assert (done.returncode, [(one["rule"], one["message"]) for one in report["findings"]]) == (
        1,
        [("ACME101", "batches hold 4 samples, and 2 fit")],
    )
    assert report["declared"] == {"rules": {"ACME101.most": 2}}
    assert report["checks"][-1] == {
        "rule": "bad",
        "name": "bad",
        "status": "skipped",
        "reason": "the check of the package `bad` cannot be loaded: ModuleNotFoundError: No module named 'bad_checks'",
    }
    (rule,) = json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == (
        "ACME101",
        "Batches hold more samples than the cluster was sized for.",
    )
