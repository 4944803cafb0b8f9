"""Small reports, and a command line that is called in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dldoctor.cli.main import run
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Level
from dldoctor.report import SCHEMA, Overhead, Report, Tool, dumps, summarise


def report_with(*levels: str, complete: bool = True, target: str = "data.py:make_loader") -> Report:
    """A report with one finding of each level that is named."""
    findings = tuple(
        Finding("DL113", "tail-batch-of-one", Level(level), f"a fact of level {level}", "Do one thing.")
        for level in levels
    )
    return Report(
        schema=SCHEMA,
        tool=Tool("dldoctor", "0.1.0"),
        command="dry-run",
        target=target,
        complete=complete,
        started_at="2026-01-01T00:00:00Z",
        duration_s=1.0,
        overhead=Overhead(),
        machine={},
        loader={},
        declared={},
        inferred={},
        evidence=Evidence(),
        checks=(),
        findings=findings,
        summary=summarise(findings),
    )


@dataclass(frozen=True)
class Outcome:
    """What one command line ended with."""

    status: int
    out: str
    err: str


CommandLine = Callable[..., Outcome]


@pytest.fixture
def dldoctor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> CommandLine:
    """Call the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> Outcome:
        status = run(arguments)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture
def make_report() -> Callable[..., Report]:
    """`report_with`, for tests that make their own."""
    return report_with


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved report with an error."""
    path = tmp_path / "saved.json"
    path.write_bytes(dumps(report_with("error", "info")))
    return path
