"""DL507 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.epoch_one_behind import EpochOneBehind
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import CopiesEvidence, Travel
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2)
BEHIND = CopiesEvidence(3, 2, False, (), (Travel("dataset.epoch", ("1", "2", "3"), ("0", "1", "2")),), True)


def judge(measured: CopiesEvidence) -> list[object]:
    return list(EpochOneBehind().judge(Case(Evidence(loader=SPEC, copies=measured))))


def test_both_values_are_told_for_each_epoch() -> None:
    """An error, since items depend on it."""
    (found,) = judge(BEHIND)
    assert found.level is Level.ERROR
    assert found.message == (
        "workers see `dataset.epoch` one epoch late: in epochs 0, 1, 2 the main process has 1, 2, 3 and the"
        " workers 0, 1, 2"
    )


def test_what_no_item_depends_on_is_info() -> None:
    """A note that nobody reads."""
    assert [one.level for one in judge(replace(BEHIND, matters=False))] == [Level.INFO]


@pytest.mark.parametrize("workers", [("1", "2", "3"), ("0", "0", "0")])
def test_workers_that_follow_or_never_see_are_not_this(workers: tuple[str, ...]) -> None:
    """Never is DL506's."""
    assert judge(replace(BEHIND, travels=(Travel("dataset.epoch", ("1", "2", "3"), workers),))) == []
