"""Reports reach standard output and files, one for each target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dldoctor.cli.jobs import Job
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.run import run_all
from dldoctor.diagnose import OnProgress, Progress, Request
from dldoctor.errors import ConfigError, SeveralLoadersError, TargetError
from dldoctor.intent import TargetOptions
from dldoctor.report import Report, dumps, loads


@dataclass
class Fake:
    """Judges without running anything: a report for each target, in order."""

    reports: list[Report | Exception]
    requests: list[Request] = field(default_factory=list)

    def __call__(self, request: Request, on_progress: OnProgress) -> Report:
        on_progress(Progress("reading batches", batches=3, planned=10, failures=1, left_s=4.0))
        self.requests.append(request)
        answer = self.reports[len(self.requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def job(name: str) -> Job:
    return Job(name, Request("dry-run", TargetOptions(f"data.py:{name}")), "error")


@pytest.fixture
def clean(make_report: Callable[..., Report]) -> Report:
    return make_report()


def test_without_o_the_report_is_printed(capsys: pytest.CaptureFixture[str], clean: Report) -> None:
    """Progress stays on standard error."""
    assert run_all((job("train"),), OutputGroup(), judge=Fake([clean])) == 0
    captured = capsys.readouterr()
    assert "data.py:make_loader" in captured.out
    assert captured.err == "dldoctor: reading batches, 3 of 10 batches, 1 failure, 4 s left\n"


def test_format_json_prints_the_report_alone(capsys: pytest.CaptureFixture[str], clean: Report) -> None:
    """A pipe gets what `-o` would write."""
    run_all((job("train"),), OutputGroup(format="json"), judge=Fake([clean]))
    assert loads(capsys.readouterr().out) == clean


def test_files_are_written_by_extension_and_the_terminal_report_stays(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, clean: Report
) -> None:
    """`-o` may be repeated."""
    output = OutputGroup(output=[str(tmp_path / "a.json"), str(tmp_path / "new" / "b.txt")])
    run_all((job("train"),), output, judge=Fake([clean]))
    assert (tmp_path / "a.json").read_text() == dumps(clean).decode() + "\n"
    assert "data.py:make_loader" in (tmp_path / "new" / "b.txt").read_text()
    assert "data.py:make_loader" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "new"]


def test_quiet_prints_nothing_and_writes_all_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, clean: Report
) -> None:
    """The exit status and the file say the rest."""
    output = OutputGroup(output=[str(tmp_path / "a.json")], quiet=True)
    run_all((job("train"),), output, judge=Fake([clean]))
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "a.json").exists()


@pytest.mark.parametrize("pattern", ["{target}.json", "reports/"])
def test_several_targets_get_a_file_each(
    tmp_path: Path, make_report: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """A folder, or {target} in the name; the status is the worst."""
    monkeypatch.chdir(tmp_path)
    reports = [make_report(target="data.py:train"), make_report("error", target="data.py:eval")]
    fake = Fake(reports)
    assert run_all((job("train"), job("eval")), OutputGroup(output=[pattern], quiet=True), judge=fake) == 1
    written = {path.name: loads(path.read_bytes()).target for path in tmp_path.rglob("*.json")}
    assert written == {"train.json": "data.py:train", "eval.json": "data.py:eval"}


def test_several_targets_never_share_one_file(clean: Report) -> None:
    """That is said before anything is run."""
    fake = Fake([clean, clean])
    with pytest.raises(ConfigError, match=r"several targets need a folder or \{target\} in `-o a.json`"):
        run_all((job("train"), job("eval")), OutputGroup(output=["a.json"]), judge=fake)
    assert fake.requests == []


def test_an_interrupted_run_is_written_and_ends_the_rest(
    tmp_path: Path, make_report: Callable[..., Report]
) -> None:
    """Ctrl-C stops all targets; what was seen is in the file, marked incomplete."""
    fake = Fake([make_report(complete=False), make_report()])
    output = OutputGroup(output=[f"{tmp_path}/{{target}}.json"], quiet=True)
    assert run_all((job("train"), job("eval")), output, judge=fake) == 130
    assert [loads(path.read_bytes()).complete for path in tmp_path.iterdir()] == [False]


def test_a_report_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, dldoctor: Any, saved: Path
) -> None:
    """Status 2, and the folder is as it was."""
    outcome = dldoctor("show", "saved.json", "-o", "saved.json/x.json")
    assert (outcome.status, outcome.err) == (
        2,
        "dldoctor: cannot write saved.json/x.json: its folder is a file\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["saved.json"]


def test_a_written_report_is_readable_as_other_files_are(tmp_path: Path, dldoctor: Any, saved: Path) -> None:
    """Not only by its owner, as a temporary file would be."""
    (tmp_path / "other").touch()
    dldoctor("show", "saved.json", "-o", "again.json")
    assert (tmp_path / "again.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_show_draws_a_saved_report_again(dldoctor: Any, saved: Path) -> None:
    """Any format, and status 0 whatever the report found."""
    again = dldoctor("show", "saved.json", "--format", "json")
    assert (again.status, loads(again.out)) == (0, loads(saved.read_bytes()))
    assert "a fact of level error" in dldoctor("show", "saved.json").out


def test_a_dict_of_loaders_gives_a_report_for_each(
    tmp_path: Path, make_report: Callable[..., Report]
) -> None:
    """As if each had been named with `--loader`."""
    fake = Fake(
        [SeveralLoadersError("holds train and val", ("train", "val")), make_report(), make_report("error")]
    )
    output = OutputGroup(output=[f"{tmp_path}/{{target}}.json"], quiet=True)
    assert run_all((job("all"),), output, judge=fake) == 1
    assert [request.target.loader_key for request in fake.requests] == [None, "train", "val"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all-train.json", "all-val.json"]


def test_a_target_that_cannot_be_judged_does_not_stop_the_others(
    capsys: pytest.CaptureFixture[str], make_report: Callable[..., Report]
) -> None:
    """It is complained about by name, and the status is 2."""
    fake = Fake([TargetError("no `make` in data.py"), make_report("error")])
    assert run_all((job("train"), job("eval")), OutputGroup(quiet=True), judge=fake) == 2
    assert capsys.readouterr().err == "dldoctor: train: no `make` in data.py\n"
    assert len(fake.requests) == 2


def test_one_target_that_cannot_be_judged_is_an_error() -> None:
    """The command line says it in one line and ends with 2."""
    with pytest.raises(TargetError, match=r"no `make` in data\.py"):
        run_all((job("train"),), OutputGroup(quiet=True), judge=Fake([TargetError("no `make` in data.py")]))
