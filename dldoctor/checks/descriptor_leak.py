"""DL803 descriptor-leak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.memory import (
    culprit,
    gained_by_epochs,
    keeps_first_readings,
    leak,
    retained,
    samples_until,
)
from dldoctor.checks.wording import counted, figure
from dldoctor.evidence.memory import DescriptorGrowth, ProcessMemory
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class DescriptorLeak(Check):
    """Open files, sockets or pipes grow with the samples that are read.

    ## Why it hurts
    A process may hold a limited number of descriptors (often 1,024). When they are used up,
    reading fails with "too many open files", after some thousand samples and in a place that has
    nothing to do with the cause; hand-over between processes fails with it.

    ## What to do
    Open with `with`, and call `load()` or `close()` on images before they are kept: Pillow opens
    lazily, so an image object that is kept keeps its file. Close archives, clients and readers
    that are made for each sample, or make one for each worker.

    ## When it is wrong
    One handle for each shard or worker is fine, and grows no further once all are open. What grows
    from epoch to epoch and not with the samples is told as that. Raising
    `ulimit -n` only moves the end. Batches that your training step keeps hold descriptors as well
    and are `batches-retained`.
    """

    rule = "DL803"
    name = "descriptor-leak"
    level = Level.ERROR
    by = ("watch-memory",)
    needs = ("memory",)

    min_gained: int = 8
    """Descriptors that must have been gained."""
    min_per_sample: float = 0.05
    """Descriptors for each sample; fewer may be a handle for each shard."""
    many_epochs: int = 1000
    """Epochs that no training has: a limit that is reached only after these is a note."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look for kinds that rise, in the process where they rise most."""
        memory = case.evidence.memory
        assert memory is not None
        seen = [one for one in memory.processes if one.descriptors_per_1000_samples is not None]
        if not seen:
            yield insufficient("too few batches were read")
            return
        leaks_bytes = leak(case) is not None
        growing = [
            found for one in seen if (found := self._growing(one, leaks_bytes=leaks_bytes)) is not None
        ]
        if growing:
            process, kind = max(growing, key=lambda pair: pair[1].last - pair[1].first)
            each = gained_by_epochs(process)
            cyclic = process.descriptors_collected > (kind.last - kind.first) / 2
            yield (
                self._waits_for_the_collector(process, kind) if cyclic
                else self._by_epochs(case, process, kind, each) if each is not None
                else self._finding(case, process, kind)
            )  # fmt: skip
        elif memory.workers and all(one.role == "main" for one in seen):
            yield insufficient("each worker read too few batches")

    def _growing(
        self, process: ProcessMemory, *, leaks_bytes: bool
    ) -> tuple[ProcessMemory, DescriptorGrowth] | None:
        again, first = process.descriptors_per_1000_samples, process.descriptors_first_per_1000_samples or 0.0
        if retained(process) is not None or again is None or not process.descriptors_by:
            return None
        kind = process.descriptors_by[0]
        if kind.kind == "shared-memory" and leaks_bytes:
            return None  # batches that are kept where they were made: their bytes are told, by `memory-leak`
        rate = (again.value if again.low > 0 else first) / 1000
        grew = kind.last - kind.first >= self.min_gained and rate >= self.min_per_sample
        return (process, kind) if grew else None

    def _waits_for_the_collector(self, process: ProcessMemory, kind: DescriptorGrowth) -> Finding:
        freed = process.descriptors_collected
        return self.finding(
            f"{_rise(process, kind)}, and the garbage collector closed {freed:,} when it was asked to: reference cycles "
            "hold them until it runs by itself, which may be often enough or not",
            advice="Close what is opened, and leave none of it to the garbage collector.",
            level=Level.INFO,
            kind=kind.kind,
            pattern=kind.pattern,
            first=kind.first,
            last=kind.last,
            collected=freed,
        )

    def _by_epochs(self, case: Case, process: ProcessMemory, kind: DescriptorGrowth, each: float) -> Finding:
        memory, machine = case.evidence.memory, case.evidence.machine
        assert memory is not None
        limit = machine.open_files_limit if machine is not None else None
        until = samples_until(limit, kind.first, each) if limit else None
        end = f"; the limit of {limit:,} is reached after about {until:,} epochs" if until is not None else ""
        return self.finding(
            f"{_rise(process, kind)} over {counted(memory.epochs, 'epoch')}, {figure(each)} with each epoch and not with its "
            f"samples{end}",
            advice="Close what is opened for an epoch when the epoch ends, and keep no iterator of a loader after that.",
            level=Level.WARNING if until is not None and until < self.many_epochs else Level.INFO,
            kind=kind.kind,
            pattern=kind.pattern,
            per_epoch=each,
            first=kind.first,
            last=kind.last,
            limit=limit,
            epochs_until_limit=until,
        )

    def _finding(self, case: Case, process: ProcessMemory, kind: DescriptorGrowth) -> Finding:
        memory, machine, spec = case.evidence.memory, case.evidence.machine, case.evidence.loader
        assert memory is not None
        again = process.descriptors_per_1000_samples
        assert again is not None
        goes_on = again.low > 0
        rate = (again.value if goes_on else process.descriptors_first_per_1000_samples or 0.0) / 1000
        limit = machine.open_files_limit if machine is not None else None
        until = samples_until(limit, kind.first, rate) if limit else None
        share = max(1, len(memory.workers))
        epoch = spec.dataset_length / share if spec is not None and spec.dataset_length is not None else None
        ends = not goes_on or (process.role == "worker" and not memory.persistent)
        within = until is not None and epoch is not None and until < epoch
        level = self.level if not ends or within else Level.WARNING if goes_on else Level.INFO
        container = culprit(memory) or keeps_first_readings(memory)
        kept = f"; `{container.path}` gains an entry with each" if container else ""
        end = (
            f"; the limit of {limit:,} is reached after about {until:,} samples" if until is not None else ""
        )
        if ends and not within:
            why = (
                "workers end with the epoch" if goes_on else "it stopped when all samples had been read once"
            )
            end = f"; {why}, so the limit of {limit:,} is not reached" if limit else f"; {why}"
        return self.finding(
            f"{_rise(process, kind)}, {figure(rate)} for each sample{kept}{end}",
            advice=f"Close what is opened for each sample{', and do not keep it in `' + container.path + '`' if container else ''}.",
            level=level,
            kind=kind.kind,
            pattern=kind.pattern,
            per_sample=rate,
            first=kind.first,
            last=kind.last,
            limit=limit,
            samples_until_limit=until,
        )


def _rise(process: ProcessMemory, kind: DescriptorGrowth) -> str:
    who = "the main process" if process.role == "main" else f"worker {process.worker}"
    what = {"file": "open files", "socket": "sockets", "pipe": "pipes"}.get(kind.kind, "descriptors")
    name = f" ({kind.pattern})" if kind.pattern != kind.kind else ""
    return f"{what} of {who} rose from {kind.first:,} to {kind.last:,}{name}"
