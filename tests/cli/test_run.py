"""Reports reach standard output and files, one for each target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from dldoctor.cli.jobs import Job
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.run import run_all
from dldoctor.errors import ConfigError, ReportError, SeveralLoadersError, TargetError
from dldoctor.intent import TargetOptions
from dldoctor.progress import OnProgress, Progress
from dldoctor.report import Report, dumps, loads
from dldoctor.request import Request


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


def test_what_the_baseline_has_fails_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, make_report: Callable[..., Report]
) -> None:
    """The same error is known the second time; the terminal says how many are."""
    (tmp_path / "old.json").write_bytes(dumps(make_report("error")))
    with_it = replace(job("train"), baseline=tmp_path / "old.json")
    assert run_all((job("train"),), OutputGroup(quiet=True), judge=Fake([make_report("error")])) == 1
    assert run_all((with_it,), OutputGroup(), judge=Fake([make_report("error")])) == 0
    assert "1 known" in capsys.readouterr().out


def test_each_of_several_targets_has_its_own_baseline(
    tmp_path: Path, make_report: Callable[..., Report]
) -> None:
    """A folder, or a name with {target} in it, as `-o` takes it."""
    (tmp_path / "train.json").write_bytes(dumps(make_report("error")))
    (tmp_path / "eval.json").write_bytes(dumps(make_report()))
    for baseline in (tmp_path, tmp_path / "{target}.json"):
        jobs = tuple(replace(job(name), baseline=baseline) for name in ("train", "eval"))
        for levels, expected in ((("error", "info"), 0), (("error", "error"), 1)):
            judge = Fake([make_report(levels[0]), make_report(levels[1])])
            assert run_all(jobs, OutputGroup(quiet=True), judge=judge) == expected


def test_a_baseline_that_cannot_be_read_stops_before_anything_runs(tmp_path: Path, clean: Report) -> None:
    """A typing error must not cost a run."""
    judge = Fake([clean])
    with pytest.raises(ReportError, match=r"cannot read .*gone\.json: No such file or directory"):
        run_all((replace(job("train"), baseline=tmp_path / "gone.json"),), OutputGroup(), judge=judge)
    assert judge.requests == []


def test_github_gets_annotations_and_nothing_is_written_unasked(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_report: Callable[..., Report],
) -> None:
    """The page of a job is a file like any other: it is written where `-o` names it."""
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run_all((job("train"),), OutputGroup(format="github"), judge=Fake([make_report("error")]))
    assert capsys.readouterr().out.startswith("::error file=data.py,line=1,title=DL113 tail-batch-of-one::")
    assert not summary.exists()
    page = OutputGroup(format="markdown", output=[str(summary)], quiet=True)
    run_all((job("train"),), page, judge=Fake([make_report("error")]))
    assert summary.read_text().startswith("### dldoctor dry-run data.py:make\\_loader\n")


def test_the_level_that_fails_is_in_the_report(tmp_path: Path, make_report: Callable[..., Report]) -> None:
    """So that a format can say what failed."""
    path = tmp_path / "a.json"
    strict = replace(job("train"), fail_on="warning")
    run_all((strict,), OutputGroup(output=[str(path)], quiet=True), judge=Fake([make_report("warning")]))
    assert loads(path.read_bytes()).fail_on == "warning"
