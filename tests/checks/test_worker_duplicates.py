"""DL601 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.worker_duplicates import WorkerDuplicates
from dldoctor.evidence.coverage import Overlap
from tests.checks.coverage_cases import coverage, judged, rank, spec, workers

STREAM = spec(kind="iterable", num_workers=2, shuffle=None)


def one_rank(shared: int, by: str = "own-id", **facts):
    only = rank(0, items=24, workers=workers(12, 12))
    overlap = (Overlap(0, 1, shared, 12, rank=0),)
    return coverage({}, ranks=(only,), items=24, by=by, worker_overlaps=overlap, rank_overlaps=(), **facts)


def test_equal_workers_are_an_error() -> None:
    """Both delivered all 12."""
    [(level, message)] = judged(WorkerDuplicates(), one_rank(12), STREAM)
    assert level == "error"
    assert message.startswith("workers 0 and 1 both delivered 12 items (100% of the smaller share): 24 items")


def test_one_shared_id_is_enough_and_one_equal_content_is_not() -> None:
    """A border that both read, against two samples that are equal by chance."""
    assert [level for level, _ in judged(WorkerDuplicates(), one_rank(1), STREAM)] == ["error"]
    assert judged(WorkerDuplicates(), one_rank(1, by="content"), STREAM) == []
    assert [level for level, _ in judged(WorkerDuplicates(), one_rank(7, by="content"), STREAM)] == ["error"]


def test_meant_repeats_do_not_count() -> None:
    """Declared, or one process alone is given items more than once."""
    found = judged(WorkerDuplicates(), one_rank(12), STREAM, replacement=True)
    assert found == [("not-applicable", "repeats are declared")]
    repeated = one_rank(12, reference_size=24, reference_repeats=20)
    assert [status for status, _ in judged(WorkerDuplicates(), repeated, STREAM)] == ["not-applicable"]
    inside = one_rank(12, repeats_inside=9)
    assert [status for status, _ in judged(WorkerDuplicates(), inside, STREAM)] == ["not-applicable"]


def test_it_needs_a_stream_several_workers_and_items_that_can_be_told_apart() -> None:
    """Otherwise it says why it does not judge."""
    assert [s for s, _ in judged(WorkerDuplicates(), one_rank(12), spec())] == ["not-applicable"]
    alone = spec(kind="iterable", num_workers=1)
    assert [s for s, _ in judged(WorkerDuplicates(), one_rank(12), alone)] == ["not-applicable"]
    unknown = one_rank(12, by="nothing")
    assert [s for s, _ in judged(WorkerDuplicates(), unknown, STREAM)] == ["insufficient-evidence"]
