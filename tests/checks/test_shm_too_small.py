"""DL805 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.shm_too_small import ShmTooSmall
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.distribution import Distribution
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.finding import Unjudged

MB = 10**6


def judged(
    workers: int = 4,
    prefetch: int | None = 2,
    free: int | None = 64 * MB,
    p99: int = 38 * MB,
    transfer: str = "tensor",
    pin: bool = False,
    **machine,
) -> list[tuple]:
    spec = LoaderSpec(
        "map", "DataLoader", "Set", "loader", batch_size=8, num_workers=workers, prefetch_factor=prefetch, pin_memory=pin
    )  # fmt: skip
    spread = Distribution(8, 38 * MB, p99, 38 * MB, 0, 38 * MB, 38 * MB, 38 * MB, p99)
    field = FieldEvidence("image", "batch", "Tensor", "float32", nbytes=38 * MB, transfer=transfer)
    case = Case(
        Evidence(
            loader=spec,
            machine=MachineEvidence(4, 4, 10**12, 10**12, shm_free_bytes=free, **machine),
            fields=(field,),
            batches=BatchesEvidence(8, 8, True, bytes=spread),
        )
    )
    return [
        (f.status, f.reason)
        if isinstance(f, Unjudged)
        else (f.level.value, f.message, f.advice, f.facts["fits"])
        for f in ShmTooSmall().judge(case)
    ]


def test_the_sum_and_the_largest_fit_are_shown() -> None:
    """38 MB x 4 x 2 = 304 MB do not fit 64 MB; one batch does."""
    message = "4 workers x 2 batches x 38 MB need 304 MB of shared memory, and 64 MB of it is free"
    advice = "Use `num_workers=1, prefetch_factor=1`, the most that fits."
    assert judged() == [("error", message, advice, {"num_workers": 1, "prefetch_factor": 1})]


def test_what_fits_is_clean() -> None:
    """1 GB, and exactly the need."""
    assert judged(free=1000 * MB) == []
    assert judged(free=304 * MB) == []


def test_the_largest_fit_keeps_as_many_batches_as_it_can() -> None:
    """Six of eight: three workers with two rather than four with one."""
    assert [f[3] for f in judged(free=6 * 38 * MB)] == [{"num_workers": 3, "prefetch_factor": 2}]
    assert [f[2:] for f in judged(free=MB)] == [
        ("Use a smaller batch or `num_workers=0`: not even one batch in flight fits.", None)
    ]


def test_ranks_share_the_memory_of_the_host() -> None:
    """Eight ranks need eight times as much."""
    message = (
        "4 workers x 2 batches x 38 MB x 8 ranks need 2.43 GB of shared memory, "
        "and 1 GB of it is declared on this host"
    )
    assert [f[:2] for f in judged(free=1000 * MB, ranks=8, declared=("shm_bytes",))] == [("error", message)]


def test_batches_that_only_fit_on_average_are_a_warning() -> None:
    """So is a pinning thread that moves batches out as they come."""
    assert [f[0] for f in judged(free=400 * MB, p99=80 * MB)] == ["warning"]
    assert [f[0] for f in judged(pin=True, gpus=("A GPU",))] == ["warning"]
    assert [f[0] for f in judged(pin=True)] == ["error"]


def test_what_does_not_cross_shared_memory_is_not_counted() -> None:
    """No workers, no such file system, and objects that are pickled."""
    assert judged(workers=0) == [("not-applicable", "without workers no batch crosses shared memory")]
    assert [f[0] for f in judged(free=None)] == ["not-applicable"]
    assert judged(transfer="array") == []
