"""DL506 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.stale_worker_copy import StaleWorkerCopy
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import CopiesEvidence, Travel
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2)
STALE = CopiesEvidence(
    3, 2, True, ("dataset.set_epoch",), (Travel("dataset.epoch", ("0", "1", "2"), ("0",) * 3),), True
)


def judge(measured: CopiesEvidence) -> list[object]:
    return list(StaleWorkerCopy().judge(Case(Evidence(loader=SPEC, copies=measured))))


def test_both_values_are_told_for_each_epoch() -> None:
    """An error, since items depend on it."""
    (found,) = judge(STALE)
    assert found.level is Level.ERROR
    assert found.message == (
        "persistent workers keep an old copy of `dataset.epoch`: in epochs 0, 1, 2 the main process has 0, 1, 2"
        " and the workers 0, 0, 0"
    )


def test_what_no_item_depends_on_is_info() -> None:
    """A note that nobody reads."""
    assert [one.level for one in judge(replace(STALE, matters=False))] == [Level.INFO]


def test_workers_that_follow_or_lag_are_not_this() -> None:
    """One behind is DL507's."""
    follow = replace(STALE, travels=(Travel("dataset.epoch", ("0", "1", "2"), ("0", "1", "2")),))
    behind = replace(STALE, travels=(Travel("dataset.epoch", ("0", "1", "2"), ("0", "0", "1")),))
    assert judge(follow) == judge(behind) == []


def test_nothing_that_changes_is_not_judged() -> None:
    """Nor what could not be run."""
    assert judge(replace(STALE, travels=())) == [
        not_applicable("the main process changes no plain attribute of the dataset between epochs")
    ]
    assert judge(replace(STALE, failed="x")) == [insufficient("the epochs could not be run: x")]
