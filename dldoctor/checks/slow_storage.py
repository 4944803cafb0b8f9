"""DL905 slow-storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import size
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SlowStorage(Check):
    """The storage below the data is slower than the loader needs.

    ## Why it hurts
    The first epoch reads from storage, and so does every epoch where the data is larger than the
    memory that is free for the page cache. No number of workers reads faster than the storage.

    ## What to do
    Copy the data to a local disk, pack small files into shards that are read in sequence, store it
    smaller, or ask for faster storage.

    ## When it is wrong
    Data that fits into memory is read cold only once. The measurement reads a bounded part of the
    files that were opened; object stores and striped file systems can be faster with more readers.
    Without a declared consumer (`--step-ms`) or a budget `samples-per-s` it is a note.
    """

    rule = "DL905"
    name = "slow-storage"
    level = Level.WARNING
    by = ("env",)
    needs = ("environment", "needs", "loader")

    min_samples: int = 8
    """Samples that must have been read."""
    min_bytes_per_sample: int = 1024
    """Less a sample is no matter of storage."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold the cold rate of the storage against the bytes that the loader asks for."""
        machine, needs = case.evidence.environment, case.evidence.needs
        assert machine is not None
        assert needs is not None
        if not needs.files or not machine.storage:
            yield not_applicable("reading samples opened no file that could be measured")
            return
        if needs.samples < self.min_samples:
            yield insufficient(f"only {needs.samples} samples were read")
            return
        each = needs.read_bytes / needs.samples
        slowest = min(
            (one for one in machine.storage if one.cold_bytes_per_s), key=lambda one: one.cold_bytes_per_s or 0.0,
            default=None,
        )  # fmt: skip
        if slowest is None or slowest.cold_bytes_per_s is None:
            yield insufficient(machine.storage[0].note or "cold reads were not measured")
            return
        if each < self.min_bytes_per_sample:
            return
        rate, declared = self._rate(case)
        need = rate * each
        if need <= slowest.cold_bytes_per_s:
            return
        who = "the declared consumer needs" if declared else "the loader could take, were the data free,"
        where = "network" if slowest.network else "local"
        yield self.finding(
            f"{who} {rate:.3g} samples/s x {size(round(each))} = {size(round(need))}/s, and {slowest.path} ({where}, "
            f"{slowest.filesystem}) gives {size(round(slowest.cold_bytes_per_s))}/s cold"
            + (f", {size(round(slowest.warm_bytes_per_s))}/s warm" if slowest.warm_bytes_per_s else ""),
            advice="Put the data on faster storage, or store fewer bytes a sample.",
            level=self.level if declared else Level.INFO,
            need_bytes_per_s=need,
            cold_bytes_per_s=slowest.cold_bytes_per_s,
            cold_reads_per_s=slowest.cold_reads_per_s,
            bytes_per_sample=each,
            filesystem=slowest.filesystem,
        )

    def _rate(self, case: Case) -> tuple[float, bool]:
        """Return samples a second that are asked for, and whether that was declared."""
        needs, spec, machine = case.evidence.needs, case.evidence.loader, case.evidence.machine
        assert needs is not None
        assert spec is not None
        ranks = machine.ranks if machine is not None else 1
        if budget := case.intent.budgets.get("samples-per-s"):
            return budget * ranks, True
        step_ms = getattr(case.intent, "step_ms", None)
        if step_ms:
            return 1000 / step_ms * (spec.batch_size or 1) * ranks, True
        return max(1, spec.num_workers) * ranks * needs.samples / max(needs.seconds, 1e-9), False
