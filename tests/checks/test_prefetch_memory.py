"""DL806 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.prefetch_memory import PrefetchMemory
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.distribution import Distribution
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.finding import Unjudged

MB, GB = 10**6, 10**9


def judged(size: int, workers: int, prefetch: int | None, limit: int, ranks: int = 1) -> list[tuple]:
    spec = LoaderSpec("map", "DataLoader", "Set", "loader", num_workers=workers, prefetch_factor=prefetch)
    spread = Distribution(8, size, size, size, 0, size, size, size, size) if size else None
    evidence = Evidence(
        loader=spec,
        machine=MachineEvidence(4, 4, limit, limit, ranks=ranks),
        batches=BatchesEvidence(8, 8, True, bytes=spread),
    )
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message, f.facts["fits"])
        for f in PrefetchMemory().judge(Case(evidence))
    ]


def test_batches_in_flight_are_held_against_the_memory_allowed() -> None:
    """38 MB x 8 x 4 in 1 GB."""
    message = "8 workers x 4 batches x 38 MB keep 1.22 GB in flight, 1.22 times the 1 GB of memory allowed"
    assert judged(38 * MB, 8, 4, GB) == [("warning", message, {"num_workers": 6, "prefetch_factor": 2})]


def test_all_ranks_of_a_host_count() -> None:
    """8 x 2 x 1.3 GB on 8 ranks are 166 GB: too much of 256 GB, fine in 512 GB."""
    message = (
        "8 workers x 2 batches x 1.3 GB x 8 ranks keep 166 GB in flight (20.8 GB on each rank), "
        "65% of the 256 GB of memory allowed"
    )
    assert [f[:2] for f in judged(1300 * MB, 8, 2, 256 * GB, ranks=8)] == [("warning", message)]
    assert judged(1300 * MB, 8, 2, 512 * GB, ranks=8) == []


def test_half_of_the_memory_is_the_limit() -> None:
    """The default prefetch factor is 2."""
    assert judged(100, 1, None, 400) == []
    assert [f[0] for f in judged(100, 1, None, 399)] == ["warning"]


def test_without_workers_or_batches_there_is_nothing_to_judge() -> None:
    """It says which."""
    assert judged(38 * MB, 0, None, 1) == [("not-applicable", "without workers no batch is read ahead")]
    assert judged(0, 2, 2, 1) == [("insufficient-evidence", "no batch was delivered")]
