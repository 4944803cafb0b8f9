"""DL801 memory-leak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.memory import (
    Leak,
    allocation,
    culprit,
    footprint,
    keeper,
    leak,
    located,
    looked_at,
    per_1000,
    risen,
    samples_until,
)
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, SourceRef, Unjudged


@dataclass(frozen=True)
class MemoryLeak(Check):
    """Memory grows with every sample that is read, and goes on growing when the same samples are read again.

    ## Why it hurts
    A run that needs a day dies after ten hours, often by the out-of-memory killer, which leaves
    no traceback. Every worker grows, so more workers get there sooner.

    ## What to do
    The finding names the container that gains an entry with each sample, or the line that
    allocated what is kept. Usual ones: a list or cache at module level or on the dataset, results
    kept for logging, readers and decoders that are not closed. If only native memory grows, look
    at the library that decodes. Until it is cured, `persistent_workers=False` ends the workers,
    and with them what they keep, at each epoch.

    ## When it is wrong
    Growth that ends is none of this: a cache that has seen every sample, a shuffle buffer, pages
    copied on write (`copy-on-write-growth`), free memory that the allocator holds back. The same
    indices are therefore read several times, and only growth that goes on counts. A cache whose
    keys are new each time (random crops, say) does grow without end. Batches that your training
    step keeps are told apart by `--step` (`batches-retained`).
    """

    rule = "DL801"
    name = "memory-leak"
    level = Level.ERROR
    by = ("watch-memory",)
    needs = ("memory",)

    unlocated_bytes: int = 4 * 2**20
    """Growth without a container or a line of the user's behind it that an allocator alone may show."""
    unlocated_epoch_bytes: int = 16 * 2**20
    """The same of workers that end with the epoch, which begin with an empty heap each time."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Tell growth without end from growth that nothing explains yet."""
        memory = case.evidence.memory
        assert memory is not None
        found = leak(case)
        least = self.unlocated_epoch_bytes if found is not None and found.resets else self.unlocated_bytes
        if found is not None and not located(memory) and risen(memory) < least:
            yield insufficient(
                f"{size(risen(memory))} were gained that nothing of yours keeps, which an allocator may hold "
                "by itself; more samples would tell (`--batches`)"
            )
            return
        if found is not None:
            yield self._finding(case, found)
            return
        open_ = [one for one in memory.processes if one.growth.verdict == "not-enough-data"]
        if memory.ended and not memory.processes:
            yield insufficient(memory.ended)
        elif open_ or not memory.processes:
            more = max((one.growth.more_samples or 0 for one in open_), default=64)
            batches = -(-more * max(1, len(memory.workers)) // max(1, self._rows(case)))
            yield insufficient(
                f"the series is too short to tell: {counted(batches, 'more batch', 'more batches')} would do (`--batches`)"
            )

    def _rows(self, case: Case) -> int:
        spec = case.evidence.loader
        return spec.batch_size or 1 if spec is not None else 1

    def _finding(self, case: Case, found: Leak) -> Finding:
        memory, machine = case.evidence.memory, case.evidence.machine
        assert memory is not None
        clause, advice = keeper(memory)
        who = "the main process grows" if found.role == "main process" else "each worker grows"
        rate = found.per_1000_samples
        limit = machine.memory_limit_bytes / max(1, machine.ranks) if machine is not None else 0.0
        until = samples_until(limit, footprint(case), rate.value / 1000)
        line = allocation(memory)
        message = f"{who} by {per_1000(rate)} that it reads, with {looked_at(memory)}{clause}"
        if found.resets:
            message += (
                f"; workers end with the epoch, so the growth does too{self._epoch(case, rate.value / 1000)}"
            )
        elif until is not None:
            message += f"; the {size(round(limit))} allowed are reached after about {until:,} samples"
        return self.finding(
            message,
            advice=advice,
            level=Level.WARNING if found.resets else self.level,
            where=self._where(case),
            bytes_per_1000_samples=rate.value,
            low=rate.low,
            high=rate.high,
            processes=found.processes,
            samples_until_limit=None if found.resets else until,
            limit_bytes=round(limit),
            samples_per_turn=memory.samples_per_turn,
            turns=memory.turns,
            allocated_at=f"{line.where.path}:{line.where.line}" if line else None,
            containers=[one.path for one in memory.containers if one.again],
            growing_types=[[one.type, one.last - one.first] for one in memory.cause.types]
            if memory.cause
            else [],
        )

    def _where(self, case: Case) -> SourceRef | None:
        """Return the line that fills the container; without one, the dataset, or what allocated it.

        What is kept may have been allocated far from who keeps it.
        """
        memory, spec = case.evidence.memory, case.evidence.loader
        assert memory is not None
        container, line = culprit(memory), allocation(memory)
        if container is not None:
            return container.put_at or (spec.dataset_ref if spec is not None else None)
        return line.where if line else None

    def _epoch(self, case: Case, per_sample: float) -> str:
        spec = case.evidence.loader
        if spec is None or spec.dataset_length is None:
            return ""
        return f", at {size(round(per_sample * spec.dataset_length))} for all workers together after a whole epoch"
