"""Which settings the machine cannot hold."""

from __future__ import annotations

from dldoctor.sweep.limits import Allowed, Needs, load_of
from dldoctor.sweep.model import Setting

MB, GB = 10**6, 10**9
NEEDS = Needs(
    batch_bytes=10 * MB,
    tensor_bytes=10 * MB,
    storages=4,
    worker_bytes=100 * MB,
    main_bytes=GB,
    descriptors=20,
)


def test_shared_memory_holds_what_is_in_flight() -> None:
    """4 x 2 batches of 10 MB are 80 MB, more than the 64 MB of a container."""
    found = load_of(Setting(4, 2), NEEDS, Allowed(64 * GB, 64 * MB, 1024))
    assert found.shm_bytes == 80 * MB
    assert found.refused == "needs 80 MB of shared memory, 64 MB is free"
    assert load_of(Setting(3, 2), NEEDS, Allowed(64 * GB, 64 * MB, 1024)).refused is None


def test_memory_counts_for_all_ranks() -> None:
    """A rank of 1 GB, four workers of 100 MB and ten batches: 1.5 GB, times eight ranks 12 GB."""
    found = load_of(Setting(4, 2), NEEDS, Allowed(16 * GB, None, None, ranks=8))
    assert found.memory_bytes == 12 * GB
    assert found.refused == "needs 12 GB of memory, more than 70% of the 16 GB allowed"


def test_each_tensor_in_flight_holds_a_descriptor() -> None:
    found = load_of(Setting(8, 4), NEEDS, Allowed(64 * GB, 64 * GB, 100))
    assert found.descriptors == 20 + 34 * 4 + 24
    assert found.refused == "needs 180 descriptors, 100 are allowed"


def test_without_workers_nothing_is_in_flight() -> None:
    found = load_of(Setting(0, 0), NEEDS, Allowed(64 * GB, 0, 21))
    assert (found.shm_bytes, found.descriptors, found.refused) == (0, 20, None)
