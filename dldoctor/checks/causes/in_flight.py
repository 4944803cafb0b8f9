"""The batches that workers hold ready: how many, how large, and which setting would fit."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.checks.base import Case
from dldoctor.checks.wording import counted


@dataclass(frozen=True)
class InFlight:
    """Batches read and not yet handed over, on all ranks of one host.

    The loader keeps ``num_workers x prefetch_factor`` batches under way at all times, however
    fast the consumer is: a new one is asked for only when one is returned.
    """

    workers: int
    prefetch: int
    ranks: int

    @property
    def batches(self) -> int:
        """Batches in flight on the host."""
        return self.workers * self.prefetch * self.ranks

    def need(self, batch_bytes: float) -> int:
        """Return the bytes that batches of this size take together."""
        return round(self.batches * batch_bytes)

    def largest_fit(self, batch_bytes: float, allowed_bytes: float) -> InFlight | None:
        """Return the largest setting up to this one that fits, more workers before more prefetch."""
        pairs = [
            InFlight(workers, prefetch, self.ranks)
            for workers in range(1, self.workers + 1)
            for prefetch in range(1, self.prefetch + 1)
        ]
        fitting = [pair for pair in pairs if pair.need(batch_bytes) <= allowed_bytes]
        return max(fitting, key=lambda pair: (pair.batches, pair.workers), default=None)

    def arithmetic(self, batch: str) -> str:
        """Return the arithmetic as a person would write it."""
        ranks = f" x {self.ranks} ranks" if self.ranks > 1 else ""
        workers = counted(self.workers, "worker")
        return f"{workers} x {counted(self.prefetch, 'batch', 'batches')} x {batch}{ranks}"


def in_flight(case: Case) -> InFlight | None:
    """Return the batches in flight; None without workers, where nothing is read ahead."""
    spec, machine = case.evidence.loader, case.evidence.machine
    if spec is None or spec.num_workers < 1:
        return None
    prefetch = 2 if spec.prefetch_factor is None else spec.prefetch_factor
    return InFlight(spec.num_workers, prefetch, max(1, machine.ranks if machine else 1))


def fit_advice(fit: InFlight | None) -> str:
    """Return the loader arguments to use, or what to do where none fits."""
    if fit is None:
        return "Use a smaller batch or `num_workers=0`: not even one batch in flight fits."
    return f"Use `num_workers={fit.workers}, prefetch_factor={fit.prefetch}`, the most that fits."
