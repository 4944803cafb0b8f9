"""The exit status says what was judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dldoctor.cli import status
from dldoctor.cli.main import run


@pytest.mark.parametrize(
    ("levels", "fail_on", "expected"),
    [
        ((), "info", 0),
        (("info",), "error", 0),
        (("info",), "info", 1),
        (("risk", "info"), "warning", 0),
        (("warning",), "risk", 1),
        (("error", "info"), "error", 1),
        (("error",), "never", 0),
    ],
)
def test_findings_count_from_the_level_that_fails(
    make_report: Callable[..., Any], levels: tuple[str, ...], fail_on: Any, expected: int
) -> None:
    """1 if the worst finding is at or above `--fail-on`."""
    assert status.of(make_report(*levels), fail_on) == expected


def test_an_interrupted_run_is_130_whatever_was_found(make_report: Callable[..., Any]) -> None:
    """The report so far is not a judgement."""
    assert status.of(make_report("error", complete=False), "error") == 130


def test_several_runs_end_with_the_worst(make_report: Callable[..., Any]) -> None:
    """A target that could not be judged is worse than one with findings."""
    assert [status.worst([]), status.worst([0, 1, 0]), status.worst([1, 2]), status.worst([1, 130])] == [
        0,
        1,
        2,
        130,
    ]


def test_a_fault_of_ours_is_70_with_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says whose fault it is and where to report it."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("dldoctor.rules.find", fail)
    assert run(["explain", "DL113"]) == 70
    error = capsys.readouterr().err
    assert "ZeroDivisionError: ours" in error
    assert "a fault in dldoctor itself, not in your pipeline; please report" in error
