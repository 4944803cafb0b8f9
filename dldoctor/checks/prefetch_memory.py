"""DL806 prefetch-memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.in_flight import fit_advice, in_flight
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import figure, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PrefetchMemory(Check):
    """The batches that workers read ahead need too much of the memory.

    ## Why it hurts
    The loader keeps `num_workers` times `prefetch_factor` batches under way, on every rank of the
    host. With large batches that alone can fill the memory, and the kernel ends a worker or the
    training process, often hours in, when the largest batches come together.

    ## What to do
    Lower `prefetch_factor` first: more than 2 only helps where the time of a batch varies much.
    Then lower `num_workers`, or the bytes of a sample (uint8 pixels instead of float32).

    ## When it is wrong
    Where the memory of the training machine is larger than that of this one: give it with
    `--memory-limit`, and its ranks with `--ranks`. The datasets and the decoding in the workers
    need memory as well, which this sum leaves out.
    """

    rule = "DL806"
    name = "prefetch-memory"
    level = Level.WARNING
    by = ("dry-run", "sweep")
    needs = ("loader", "batches", "machine")

    max_share: float = 0.5
    """Share of the memory allowed that batches in flight may take."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the bytes in flight on all ranks with the memory allowed."""
        flight, machine, batches = in_flight(case), case.evidence.machine, case.evidence.batches
        spec = case.evidence.loader
        assert machine is not None
        assert batches is not None
        assert spec is not None
        if flight is None:
            yield not_applicable("without workers no batch is read ahead")
            return
        if batches.bytes is None or not batches.bytes.count:
            yield insufficient("no batch was delivered")
            return
        # The pinning thread takes each batch over into pinned memory as it arrives: a batch lies in
        # one or the other, and a second copy lives only for a moment.
        one, limit = batches.bytes.mean, machine.memory_limit_bytes
        need = flight.need(one)
        if limit <= 0 or need <= self.max_share * limit:
            return
        fit = flight.largest_fit(one, self.max_share * limit)
        each = f" ({size(need // flight.ranks)} on each rank)" if flight.ranks > 1 else ""
        yield self.finding(
            f"{flight.arithmetic(size(round(one)))} keep {size(need)} in flight{each}, {_share(need / limit)} the "
            f"{size(limit)} of memory allowed",
            advice=fit_advice(fit),
            need_bytes=need,
            need_bytes_per_rank=need // flight.ranks,
            limit_bytes=limit,
            share=need / limit,
            batch_bytes=round(one),
            largest_batch_bytes=round(batches.bytes.max),
            num_workers=flight.workers,
            prefetch_factor=flight.prefetch,
            ranks=flight.ranks,
            fits={"num_workers": fit.workers, "prefetch_factor": fit.prefetch} if fit else None,
        )


def _share(share: float) -> str:
    return f"{percent(share)} of" if share <= 1 else f"{figure(share)} times"
