"""DL901, DL902, DL904 and DL905 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dldoctor.checks.base import Case, Check
from dldoctor.checks.cpu_quota import CpuQuota
from dldoctor.checks.low_limit import LowLimit
from dldoctor.checks.slow_storage import SlowStorage
from dldoctor.checks.start_method import StartMethod
from dldoctor.evidence import Evidence
from dldoctor.evidence.environment import EnvironmentEvidence, FolderNeed, NeedsEvidence, StorageEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent

MB, GB = 10**6, 10**9
SPEC = LoaderSpec(
    "map", "DataLoader", "Set", "loader", batch_size=8, num_workers=4, prefetch_factor=2, start_method="fork"
)
DISK = StorageEvidence("/data", "nfs4", "server:/x", True, 8, 40 * MB, 50.0 * MB, 900.0 * MB, 300.0, 9000.0)
HERE = EnvironmentEvidence(
    cores_total=64, cores_physical=32, cores_affinity=64, cores_quota=None, numa_nodes=2, foreign_cores=0.0,
    load_average=0.0, memory_total_bytes=GB, memory_limit_bytes=GB, memory_available_bytes=GB, shm_free_bytes=GB,
    shm_total_bytes=GB, open_files_soft=1024, open_files_hard=4096, locked_memory_bytes=None, start_method="fork",
    python="3.12", torch="2.8", storage=(DISK,),
)  # fmt: skip
NEEDS = NeedsEvidence(
    100, 2.0, 10 * MB, 8, ("/data/1",), 4, MB, 64, default_start_method="fork"
)  # 100 kB a sample, 50 samples/s in one process


def judged(
    check: Check,
    machine: EnvironmentEvidence = HERE,
    needs: NeedsEvidence | None = NEEDS,
    spec: LoaderSpec | None = SPEC,
    intent: Intent = Intent(),
    shm: int = GB,
) -> list[tuple[str, str]]:
    limits = MachineEvidence(64, 64, GB, GB, shm_free_bytes=shm)
    evidence = Evidence(loader=spec, machine=limits, environment=machine, needs=needs)
    return [
        (one.status, one.reason) if isinstance(one, Unjudged) else (one.level.value, one.message)
        for one in check.judge(Case(evidence, intent))
    ]


@pytest.mark.parametrize(("workers", "level"), [(4, "info"), (8, "warning")])
def test_a_quota_matters_to_more_workers_than_it_grants(workers: int, level: str) -> None:
    """Both numbers are told."""
    quota = replace(HERE, cores_quota=4.0)
    found = judged(CpuQuota(), quota, spec=replace(SPEC, num_workers=workers))
    assert found == [
        (level, f"4 of 64 cores may be used (the cgroup's quota), and the loader asks for {workers} workers")
    ]


def test_without_a_loader_the_ratio_decides() -> None:
    """64 shown for 4 that may be used."""
    assert judged(CpuQuota(), replace(HERE, cores_quota=4.0), None, None) == [
        ("warning", "4 of 64 cores may be used (the cgroup's quota)")
    ]
    assert [one[0] for one in judged(CpuQuota(), replace(HERE, cores_affinity=48), None, None)] == ["info"]
    assert judged(CpuQuota(), HERE, None, None) == []


def test_a_target_that_pins_its_process_is_told() -> None:
    """By its own affinity after the import."""
    assert judged(CpuQuota(), needs=replace(NEEDS, cores=1)) == [
        (
            "warning",
            "1 of 64 cores may be used (the target's own code pins the process), and the loader asks for 4 workers",
        )
    ]


def test_descriptors_of_batches_in_flight_are_held_against_the_limit() -> None:
    """8 x 120 + 4 x 12 + 64."""
    assert judged(LowLimit()) == []
    assert judged(LowLimit(), needs=replace(NEEDS, batch_tensors=120)) == [
        (
            "warning",
            "8 batches in flight x 120 tensors need about 1,072 descriptors in the main process, and 1,024 are allowed",
        )
    ]
    assert [one[0] for one in judged(LowLimit(), spec=replace(SPEC, num_workers=0))] == ["not-applicable"]


def test_shared_memory_is_held_against_batches_in_flight() -> None:
    """8 MB in 5 MB."""
    assert judged(LowLimit(), shm=5 * MB) == [
        ("warning", "4 workers x 2 batches x 1 MB need 8 MB of shared memory, and 5 MB of it is free")
    ]


@pytest.mark.parametrize(("default", "level"), [("fork", "info"), ("spawn", "risk"), ("forkserver", "risk")])
def test_what_only_forks_is_a_risk_where_the_default_differs(default: str, level: str) -> None:
    """A note for portability elsewhere."""
    needs = replace(NEEDS, unpicklable="collate_fn: PicklingError: lambda", default_start_method=default)
    assert [one[0] for one in judged(StartMethod(), needs=needs)] == [level]
    assert judged(StartMethod()) == []


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("module", "`dataset.backend`: import it where it is used."),
        ("lambda", "`dataset.backend`: write it as a function at the top of a module."),
        ("", "Move it to module level, or make it in the worker, so that it can be pickled."),
    ],
)
def test_the_advice_fits_what_cannot_be_pickled(kind: str, advice: str) -> None:
    """A module is imported elsewhere, and a function moved."""
    needs = replace(NEEDS, unpicklable="dataset.backend: TypeError: no", unpicklable_kind=kind)
    case = Case(Evidence(loader=SPEC, needs=needs))
    assert [one.advice for one in StartMethod().judge(case)] == [advice]


def test_storage_is_slow_for_a_declared_consumer_only() -> None:
    """1,000 samples/s x 100 kB are 100 MB/s; without workers one process takes 5 MB/s."""
    budget = Intent(budgets={"samples-per-s": 1000.0})
    assert judged(SlowStorage(), intent=budget) == [
        (
            "warning",
            (
                "the declared consumer needs 1,000 samples/s x 100 kB = 100 MB/s, and /data (network, nfs4) gives "
                "50 MB/s cold, 900 MB/s warm"
            ),
        )
    ]
    assert judged(SlowStorage(), spec=replace(SPEC, num_workers=0)) == []
    fast: Any = replace(NEEDS, seconds=0.01)
    assert [one[0] for one in judged(SlowStorage(), needs=fast)] == ["info"]


def test_small_files_are_judged_by_their_number_and_each_folder_by_its_own() -> None:
    """Masks of 330 bytes beside pictures of 60 kB, at 1,000 samples a second."""
    budget = Intent(budgets={"samples-per-s": 1000.0})
    masks = replace(
        DISK, path="/data/masks", files=64, bytes=64 * 330, cold_bytes_per_s=5e5, cold_reads_per_s=1900.0
    )
    pictures = replace(
        DISK, path="/data/pictures", files=8, bytes=8 * 60_000, cold_bytes_per_s=8e7, cold_reads_per_s=1400.0
    )
    taken = (FolderNeed("/data/masks", 100, 33_000), FolderNeed("/data/pictures", 100, 6 * MB))
    needs = replace(NEEDS, read_bytes=6_033_000, folders=taken)
    machine = replace(HERE, storage=(masks, pictures))
    assert judged(SlowStorage(), machine, needs, intent=budget) == []
    slower = replace(HERE, storage=(replace(masks, cold_reads_per_s=600.0), pictures))
    assert judged(SlowStorage(), slower, needs, intent=budget) == [
        (
            "warning",
            (
                "the declared consumer needs 1,000 samples/s x 1 file of 330 bytes = 1,000 files/s, and /data/masks "
                "(network, nfs4) gives 600 files/s cold"
            ),
        )
    ]


def test_bytes_of_files_that_nobody_saw_are_laid_on_no_folder() -> None:
    """A file of 3 kB is no source of 10 MB."""
    needs = replace(NEEDS, folders=(FolderNeed("/data", 1, 3128),))
    budget = Intent(budgets={"samples-per-s": 1e6})
    small = replace(HERE, storage=(replace(DISK, files=1, bytes=3128),))
    assert judged(SlowStorage(), small, needs, intent=budget) == [
        ("insufficient-evidence", "10 MB of 10 MB were read from files that a library opened out of sight")
    ]


def test_storage_that_was_not_measured_cold_is_not_judged() -> None:
    """And says why."""
    warm = replace(DISK, cold_bytes_per_s=None, note="the file system lies in memory")
    assert judged(SlowStorage(), replace(HERE, storage=(warm,))) == [
        ("insufficient-evidence", "the file system lies in memory")
    ]
    assert [one[0] for one in judged(SlowStorage(), needs=replace(NEEDS, files=0))] == ["not-applicable"]
