"""DL511 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.main_guard import MainGuard
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import ReproductionEvidence, StartMethodsEvidence, StartTrial
from dldoctor.finding import Level, SourceRef

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2, start_method="fork")
STARTS = ReproductionEvidence(1, 4, started_at_import=SourceRef("train.py", 12))
TRIALS = StartMethodsEvidence("fork", "3.11.7", "fork", trials=(StartTrial("spawn", "fails", "x"),))


def judge(
    measured: ReproductionEvidence, spec: LoaderSpec = SPEC, start: StartMethodsEvidence | None = None
) -> list[object]:
    return list(MainGuard().judge(Case(Evidence(loader=spec, reproduction=measured, start_methods=start))))


def test_under_fork_it_is_a_risk() -> None:
    """The place is named."""
    (found,) = judge(STARTS, start=TRIALS)
    assert (found.level, found.where) == (Level.RISK, SourceRef("train.py", 12))
    assert found.message == (
        "importing the file starts workers at train.py:12, outside of a main guard; no worker starts by `spawn`"
    )


def test_where_workers_do_not_start_for_it_is_an_error() -> None:
    """Under the method in force."""
    assert [one.level for one in judge(STARTS, replace(SPEC, start_method="spawn"), TRIALS)] == [Level.ERROR]


def test_a_guarded_file_is_clean_and_a_failed_run_not_judged() -> None:
    """No process was started while it was imported."""
    assert judge(replace(STARTS, started_at_import=None)) == []
    assert judge(ReproductionEvidence(1, 0, failed="x")) == [
        insufficient("a fresh run of the target failed: x")
    ]
