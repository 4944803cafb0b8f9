"""DL804 batches-retained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.memory import retained
from dldoctor.checks.phrases import size
from dldoctor.evidence.memory import ConsumerGrowth
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class BatchesRetained(Check):
    """Batches are kept after they were used, each with its memory and its descriptors.

    ## Why it hurts
    A tensor that came from a worker lies in shared memory and holds a descriptor as long as it
    lives. A list of outputs, labels or losses that refers to batches therefore fills memory and
    ends in "too many open files" or "received 0 items of ancdata", and a view (`.numpy()`, a
    slice) keeps the whole batch.

    ## What to do
    Keep copies of what is needed: `labels.clone()`, `loss.item()`, `.detach().cpu().clone()`.
    `torch.multiprocessing.set_sharing_strategy("file_system")` spares the descriptors, not the
    memory.

    ## When it is wrong
    Only what is seen here is judged: the loader alone, and the step of `--step FILE:NAME`. A
    buffer that keeps the last few batches grows no further once it is full.
    """

    rule = "DL804"
    name = "batches-retained"
    level = Level.WARNING
    by = ("watch-memory",)
    needs = ("memory",)

    min_gained: int = 8
    """Descriptors that must have been gained."""
    min_per_batch: float = 0.2
    """Descriptors for each batch."""
    min_bytes_share: float = 0.3
    """Growth for each batch, over the bytes of a batch."""
    min_bytes: int = 2**20
    """Growth in all."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the main process, with the consumer and without it."""
        memory = case.evidence.memory
        assert memory is not None
        if memory.main is not None and (gained := retained(memory.main)) is not None:
            yield self._by_loader(case, gained)
            return
        if memory.consumer is None:
            yield not_applicable(
                "no step was declared (`--step FILE:NAME`), and the loader itself keeps no batch"
            )
            return
        yield from self._by_step(case, memory.consumer)

    def _by_loader(self, case: Case, gained: int) -> Finding:
        memory, machine, spec = case.evidence.memory, case.evidence.machine, case.evidence.loader
        assert memory is not None
        batches = max(1, max((point.batch for point in memory.main.fine), default=1) if memory.main else 1)
        rate = gained / batches
        limit = machine.open_files_limit if machine is not None else None
        who = spec.loader_type.rpartition(".")[2] if spec is not None else "the loader"
        end = (
            f"; the limit of {limit:,} is reached after about {int(limit / rate):,} batches" if limit else ""
        )
        return self.finding(
            f"the main process gained {gained:,} descriptors of shared memory over {batches:,} batches without any "
            f"consumer: the code around the loader (`{who}`) keeps batches{end}",
            advice="Let the code that stands around the loader drop each batch once it was handed on.",
            descriptors_per_batch=rate,
            holder="loader",
            limit=limit,
        )

    def _by_step(self, case: Case, found: ConsumerGrowth) -> Iterator[Finding]:
        memory, machine = case.evidence.memory, case.evidence.machine
        assert memory is not None
        alone = max(0.0, found.alone_descriptors_per_batch)
        descriptors = found.descriptors_per_batch.value - alone
        gained = (found.descriptors_per_batch.low - alone) * found.batches
        grown = found.bytes_per_batch.value - max(0.0, found.alone_bytes_per_batch)
        certain = found.bytes_per_batch.low - max(0.0, found.alone_bytes_per_batch)
        holds = gained >= self.min_gained and descriptors >= self.min_per_batch
        fills = certain * found.batches >= self.min_bytes
        if not holds and not fills:
            return
        whole = fills and memory.batch_bytes > 0 and grown >= self.min_bytes_share * memory.batch_bytes
        limit = machine.open_files_limit if machine is not None else None
        parts = [f"{descriptors:.2g} descriptor{'' if round(descriptors, 1) == 1 else 's'}"] if holds else []
        parts += [size(round(grown))] if fills else []
        end = (
            f"; the limit of {limit:,} is reached after about {int(limit / descriptors):,} batches"
            if holds and limit
            else ""
        )
        yield self.finding(
            f"with `{found.step}` the main process gains {' and '.join(parts)} for each batch, and without it nothing{end}",
            advice="Copy what the step keeps (`.clone()`, `.item()`), so that the batch can go.",
            level=self.level if holds or whole else Level.INFO,
            descriptors_per_batch=descriptors,
            bytes_per_batch=grown,
            batch_bytes=memory.batch_bytes,
            holder="consumer",
            limit=limit,
            batches=found.batches,
        )
