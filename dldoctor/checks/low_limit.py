"""DL902 low-limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.in_flight import in_flight
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LowLimit(Check):
    """A limit of this machine is too low for the loader as it is set.

    ## Why it hurts
    Each tensor on its way from a worker holds a descriptor and shared memory. When either is used
    up the loader ends with "too many open files", "received 0 items of ancdata" or a bus error,
    and only once the training step is slow enough for all batches to lie there at once.

    ## What to do
    Raise the soft limit (`ulimit -n`, or `resource.setrlimit` at the start of the program), give
    the container more `/dev/shm`, or put fewer and larger tensors into a batch.

    ## When it is wrong
    The need is that of batches in flight and a few descriptors for each worker; what your own
    code keeps open comes on top. Limits are those of this machine.
    """

    rule = "DL902"
    name = "low-limit"
    level = Level.WARNING
    by = ("env",)
    needs = ("environment", "needs", "loader")

    per_worker: int = 12
    """Descriptors for the pipes and queues of a worker."""
    base: int = 64
    """Descriptors of a process that has imported torch and reads data."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold descriptors and shared memory against what is in flight."""
        machine, needs, flight = case.evidence.environment, case.evidence.needs, in_flight(case)
        assert machine is not None
        assert needs is not None
        if flight is None:
            yield not_applicable("without workers no batch crosses from one process to another")
            return
        batches = flight.workers * flight.prefetch
        need = batches * needs.batch_tensors + flight.workers * self.per_worker + self.base
        limit = machine.open_files_soft
        if limit is not None and need > limit:
            hard = machine.open_files_hard
            higher = f" (up to {hard:,} are allowed here)" if hard is not None and hard > limit else ""
            yield self.finding(
                f"{counted(batches, 'batch', 'batches')} in flight x {needs.batch_tensors} tensors need about {need:,} "
                f"descriptors in the main process, and {limit:,} are allowed",
                advice=f"Raise the limit on open files{higher}, or stack the tensors of a batch.",
                need=need,
                limit=limit,
                tensors=needs.batch_tensors,
            )
        # Where dry-run has measured the batches, `shm-too-small` speaks of shared memory.
        free = (
            case.evidence.machine.shm_free_bytes
            if case.evidence.machine is not None
            else machine.shm_free_bytes
        )
        if case.evidence.batches is None and free is not None and flight.need(needs.batch_bytes) > free:
            yield self.finding(
                f"{flight.arithmetic(size(needs.batch_bytes))} need {size(flight.need(needs.batch_bytes))} of shared "
                f"memory, and {size(free)} of it is free",
                advice="Give the container more shared memory (`--shm-size`), or lower `prefetch_factor`.",
                need_bytes=flight.need(needs.batch_bytes),
                free_bytes=free,
            )
