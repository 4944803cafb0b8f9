"""DL805 shm-too-small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.in_flight import fit_advice, in_flight
from dldoctor.checks.phrases import size
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ShmTooSmall(Check):
    """The batches that workers hold ready do not fit the shared memory.

    ## Why it hurts
    Tensors cross from a worker through `/dev/shm`, and the loader keeps `num_workers` times
    `prefetch_factor` batches under way. As soon as the training step is slower than the workers,
    all of them lie there at once, and a worker dies of a bus error ("It is possible that
    dataloader's workers are out of shared memory"). Containers often have only 64 MB of it.

    ## What to do
    Give the container more shared memory (`docker run --shm-size=2g`, an `emptyDir` with
    `medium: Memory` in Kubernetes), or use the largest setting that fits, which the advice names.

    ## When it is wrong
    If training runs on another machine than this one: give its free bytes with `--shm-bytes`, and
    its ranks with `--ranks`, since all ranks of a host share them. Arrays and Python objects cross
    by pickle and are not counted.
    """

    rule = "DL805"
    name = "shm-too-small"
    level = Level.ERROR
    by = ("dry-run", "sweep")
    needs = ("loader", "batches", "machine")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the bytes in flight with the shared memory that is free."""
        flight, machine, spec = in_flight(case), case.evidence.machine, case.evidence.loader
        assert machine is not None
        assert spec is not None
        free = machine.shm_free_bytes
        if flight is None:
            yield not_applicable("without workers no batch crosses shared memory")
            return
        if free is None:
            yield not_applicable("this system has no shared memory file system")
            return
        if not case.evidence.batch_fields:
            yield insufficient("no batch was delivered")
            return
        mean, large = self._tensor_bytes(case)
        if flight.need(large) <= free:
            return
        usual = flight.need(mean) > free
        one = mean if usual else large
        # A pinning thread moves each batch out of shared memory as it arrives.
        pinned = spec.pin_memory and bool(machine.gpus)
        which = "" if usual else f" (the largest ones; the mean is {size(round(mean))})"
        host = " on this host" if flight.ranks > 1 else ""
        state = "declared" if "shm_bytes" in machine.declared else "free"
        yield self.finding(
            f"{flight.arithmetic(size(round(one)))} need {size(flight.need(one))} of shared memory{which}, "
            f"and {size(free)} of it is {state}{host}",
            advice=fit_advice(flight.largest_fit(one, free)),
            level=self.level if usual and not pinned else Level.WARNING,
            need_bytes=flight.need(one),
            free_bytes=free,
            batch_bytes=round(one),
            num_workers=flight.workers,
            prefetch_factor=flight.prefetch,
            ranks=flight.ranks,
            fits=_pair(case, one, free),
        )

    def _tensor_bytes(self, case: Case) -> tuple[float, float]:
        """Return the tensor bytes of a batch: the mean, and those of a batch at the 99th percentile."""
        mean = float(sum(field.nbytes for field in case.evidence.batch_fields if field.transfer == "tensor"))
        spread = case.evidence.batches.bytes if case.evidence.batches else None
        return mean, mean * max(1.0, spread.p99 / spread.mean) if spread and spread.mean > 0 else mean


def _pair(case: Case, batch_bytes: float, free: int) -> dict[str, int] | None:
    flight = in_flight(case)
    fit = flight.largest_fit(batch_bytes, free) if flight else None
    return {"num_workers": fit.workers, "prefetch_factor": fit.prefetch} if fit else None
