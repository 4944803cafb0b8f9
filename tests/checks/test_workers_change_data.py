"""DL504 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.workers_change_data import WorkersChangeData
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import ChangedItem, Handle, HandlesEvidence, WorkerDataEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Records", "loader", num_workers=2)
EQUAL = WorkerDataEvidence(64, 4, "fork")
WRONG = replace(
    EQUAL,
    changed=3,
    examples=(ChangedItem(5, "x", 1), ChangedItem(9, "x", 0), ChangedItem(11, "x", 2)),
    paths={"x": 3},
)
HELD = HandlesEvidence(handles=(Handle("dataset.file", "open file", "records.bin", moved=True),))


def judge(
    measured: WorkerDataEvidence, handles: HandlesEvidence | None = None, spec: LoaderSpec = SPEC
) -> list[object]:
    evidence = Evidence(loader=spec, worker_data=measured, handles=handles)
    return list(WorkersChangeData().judge(Case(evidence)))


def test_the_shared_file_is_named_and_the_provocation_stated() -> None:
    """Ids, field, share, suspect, pauses."""
    (found,) = judge(replace(WRONG, provoked=("dataset.file",)), HELD)
    assert (found.level, found.samples) == (Level.ERROR, (5, 9, 11))
    assert found.message == (
        "3 of 64 items (4.7%) come otherwise from 4 workers than without, with pauses put into `dataset.file`:"
        " samples 5, 9 and 11 differ in `x`; the workers share `dataset.file` (open file)"
    )


def test_what_depends_on_the_order_of_reading_is_no_race() -> None:
    """Even where a file is open beside it."""
    (found,) = judge(replace(WRONG, by_order=True), HELD)
    assert found.message.endswith(
        "it depends on what was read before, also without workers: a counter or a cache"
    )


def test_an_unknown_cause_says_so() -> None:
    """Nothing was found on the objects; the exception is told."""
    broken = replace(
        WRONG, examples=(ChangedItem(5, "(exception)", 1, "BadZipFile: x"),), paths={"(exception)": 3}
    )
    (found,) = judge(broken)
    assert "(BadZipFile: x); the workers share something outside" in found.message


def test_without_workers_in_force_it_is_info() -> None:
    """Nothing wrong was delivered by this loader."""
    (found,) = judge(WRONG, spec=replace(SPEC, num_workers=0))
    assert found.level is Level.INFO


def test_equal_data_are_clean_and_no_data_are_not_judged() -> None:
    """Each says why."""
    assert judge(EQUAL) == []
    assert judge(replace(EQUAL, items=0)) == [insufficient("no item could be compared")]
    assert judge(replace(EQUAL, failed="no")) == [insufficient("workers could not be run: no")]
