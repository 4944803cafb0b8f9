"""DL809 memory-headroom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.memory import footprint, keeps_first_readings
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class MemoryHeadroom(Check):
    """The loader takes most of the memory allowed, now or once the whole run is under way.

    ## Why it hurts
    The model, its optimiser and the page cache need memory too. Above the limit the kernel ends a
    process without a traceback, and below it files that would stay cached are read again.

    ## What to do
    Lower `num_workers` or `prefetch_factor`, bound caches, and keep large read-only data in
    arrays or mapped files instead of a copy in each worker.

    ## When it is wrong
    The limit is that of this machine or container: give that of the training machine with
    `--memory-limit`, and its ranks with `--ranks`. Pages that processes share are counted once.
    """

    rule = "DL809"
    name = "memory-headroom"
    level = Level.WARNING
    by = ("watch-memory",)
    needs = ("memory", "machine", "loader")

    max_share: float = 0.7
    """Share of the memory allowed that the loader may take."""
    max_held_share: float = 0.3
    """Share that what the dataset itself keeps in memory may take, all copies together."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold the peak, the peak of a whole run, and the dataset's own data against the limit."""
        memory, machine, spec = case.evidence.memory, case.evidence.machine, case.evidence.loader
        assert memory is not None
        assert machine is not None
        assert spec is not None
        if memory.peak_bytes <= 0 or machine.memory_limit_bytes <= 0:
            yield insufficient("no memory was measured")
            return
        ranks, limit = max(1, machine.ranks), machine.memory_limit_bytes
        now, whole = memory.peak_bytes * ranks, footprint(case) * ranks
        cache, extra = self._cache(case)
        whole += extra * ranks
        held, copies = self._held(case)
        each = f" on {ranks} ranks" if ranks > 1 else ""
        if whole > self.max_share * limit:
            why = f", as `{cache}` keeps what it reads" if cache else ""
            yield self.finding(
                f"the loader took {size(now)}{each} at its peak and needs {size(whole)} for a whole run{why}: "
                f"{percent(whole / limit)} of the {size(limit)} allowed",
                advice=f"Bound `{cache}`." if cache else self._advice(case),
                share=whole / limit, peak_bytes=now, predicted_bytes=whole, limit_bytes=limit, ranks=ranks,
                held_bytes=held,
            )  # fmt: skip
        elif held * ranks > self.max_held_share * limit:
            top = memory.holdings[0]
            saved = held - sum(one.bytes for one in memory.holdings)
            yield self.finding(
                f"what the dataset keeps in memory comes to {size(held * ranks)}{each} ({counted(copies, 'copy', 'copies')}), "
                f"{percent(held * ranks / limit)} of the {size(limit)} allowed; most of it is `{top.path}` with {size(top.bytes)}",
                advice=f"Read `{top.path}` lazily, or share or map it{f', which saves {size(saved)}' if saved > 0 else ''}.",
                share=held * ranks / limit, held_bytes=held, copies=copies, limit_bytes=limit, ranks=ranks,
            )  # fmt: skip

    def _cache(self, case: Case) -> tuple[str | None, int]:
        """Return a cache that is filled by first readings, and what it still gains over the dataset."""
        memory, spec = case.evidence.memory, case.evidence.loader
        assert memory is not None
        assert spec is not None
        cache = keeps_first_readings(memory)
        rates = [one.growth.first_per_1000_samples or 0.0 for one in memory.processes]
        left = (spec.dataset_length or 0) - memory.samples_per_turn
        if cache is None or left <= 0 or max(rates, default=0.0) <= 0:
            return None, 0
        return cache.path, round(max(rates) / 1000 * left)

    def _held(self, case: Case) -> tuple[int, int]:
        """Return the bytes of the dataset in all processes under the start method in force."""
        memory, spec = case.evidence.memory, case.evidence.loader
        assert memory is not None
        assert spec is not None
        total = sum(one.bytes for one in memory.holdings)
        if not spec.num_workers:
            return total, 1
        again = total if spec.start_method != "fork" else sum(one.python_bytes for one in memory.holdings)
        return total + spec.num_workers * again, 1 + (spec.num_workers if again else 0)

    def _advice(self, case: Case) -> str:
        spec, memory = case.evidence.loader, case.evidence.memory
        assert spec is not None
        assert memory is not None
        if spec.num_workers > 1:
            return f"Use fewer workers: each takes up to {size(memory.worker_peak_bytes)} of its own."
        return "Keep less in memory: read lazily, or map the file."
