"""DL505 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.shared_handle import SharedHandle
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import Handle, HandlesEvidence, WorkerDataEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2, start_method="fork")
OPEN = Handle("dataset.db", "SQLite connection", "rows.db")
RAW = Handle("dataset.fd", "raw descriptor", "rows.bin")


def judge(*handles: Handle, spec: LoaderSpec = SPEC, data: WorkerDataEvidence | None = None) -> list[object]:
    evidence = Evidence(loader=spec, handles=HandlesEvidence(handles=handles), worker_data=data)
    return list(SharedHandle().judge(Case(evidence)))


def test_path_kind_and_file_are_told() -> None:
    """It is a risk: no harm was shown."""
    (found,) = judge(OPEN)
    assert found.level is Level.RISK
    assert found.message == (
        "`dataset.db` (SQLite connection rows.db) is open before the workers start, and all workers share it"
    )


@pytest.mark.parametrize("handle", [replace(OPEN, when="after"), replace(OPEN, reopened=True)])
def test_the_lazy_pattern_is_clean(handle: Handle) -> None:
    """Each process opens its own."""
    assert judge(handle) == []


def test_a_descriptor_is_info_until_a_read_moves_it() -> None:
    """`os.pread` leaves its position alone."""
    assert [one.level for one in judge(RAW)] == [Level.INFO]
    assert [one.level for one in judge(replace(RAW, moved=True))] == [Level.RISK]


@pytest.mark.parametrize("change", [{"num_workers": 0}, {"start_method": "spawn"}])
def test_where_nothing_is_forked_it_is_info(change: dict[str, object]) -> None:
    """Nobody shares it yet."""
    assert [one.level for one in judge(OPEN, spec=replace(SPEC, **change))] == [Level.INFO]


def test_wrong_data_are_told_by_their_own_rule() -> None:
    """One cause, one finding."""
    wrong = WorkerDataEvidence(64, 4, "fork", changed=3)
    assert judge(OPEN, data=wrong) == []
    assert len(judge(OPEN, data=replace(wrong, by_order=True))) == 1


def test_a_file_is_info_where_no_read_moves_it_and_no_other_file() -> None:
    """The few reads of the probe need not meet each file."""
    still = Handle("dataset.file", "open file", "a.bin")
    other = Handle("dataset.other", "open file", "b.bin", moved=True)
    assert [one.level for one in judge(still)] == [Level.INFO]
    (found,) = judge(still, other)
    assert found.level is Level.RISK
    assert len(found.facts["handles"]) == 2
