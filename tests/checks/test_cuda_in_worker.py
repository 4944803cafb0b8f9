"""DL512 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.cuda_in_worker import CudaInWorker
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import HandlesEvidence
from dldoctor.finding import Level


def judge(workers: int, *on_device: tuple[str, str]) -> list[object]:
    spec = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=workers)
    return list(
        CudaInWorker().judge(Case(Evidence(loader=spec, handles=HandlesEvidence(on_device=on_device))))
    )


def test_attribute_and_field_are_told_with_their_device() -> None:
    """An error with workers."""
    (found,) = judge(2, ("dataset.table", "cuda:0"), ("sample.x", "cuda:0"))
    assert found.level is Level.ERROR
    assert found.message == (
        "`dataset.table` (cuda:0) and `sample.x` (cuda:0) lie on a device, and 2 workers read the dataset"
    )


def test_without_workers_or_on_the_cpu_it_is_clean() -> None:
    """The process that has CUDA may use it."""
    assert judge(0, ("dataset.table", "cuda:0")) == judge(2) == []
