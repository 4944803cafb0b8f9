"""DL802 copy-on-write-growth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged

MB = 10**6


@dataclass(frozen=True)
class CopyOnWriteGrowth(Check):
    """Python objects of the dataset are copied, page by page, into each worker as it reads them.

    ## Why it hurts
    A forked worker shares the memory of the main process until one of them writes. Reading a
    Python object writes its reference count, so its page is copied: a list of dicts that was
    loaded once ends up once in every worker. It looks like a leak through the first epoch, and
    fills the memory sooner the more workers there are.

    ## What to do
    Keep what is large and read-only in arrays (numpy, torch, Arrow) or in a file that is mapped:
    a million paths are one array of bytes and one of offsets. `multiprocessing.Manager` and
    fewer workers also help. The growth ends at the bound that the finding states.

    ## When it is wrong
    It is no leak, and where the bound fits into the memory allowed nothing needs to be done.
    Under `spawn` and `forkserver` each worker has a whole copy from the start instead.
    """

    rule = "DL802"
    name = "copy-on-write-growth"
    level = Level.WARNING
    by = ("watch-memory",)
    needs = ("memory", "loader")

    min_copied_bytes: int = 8 * MB
    """Copied in one worker during the run; less is a note."""
    min_bound_share: float = 0.02
    """Share of the memory allowed that all copies together may reach; less is a note."""
    min_bound_bytes: int = 100 * MB
    """All copies together at their bound; a bound below both is a note."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold what was copied, and its bound, against the memory allowed."""
        memory, spec, machine = case.evidence.memory, case.evidence.loader, case.evidence.machine
        assert memory is not None
        assert spec is not None
        if not spec.num_workers or spec.start_method != "fork":
            yield not_applicable("no worker shares the memory of the main process")
            return
        heaps = [one for one in memory.holdings if one.python_bytes > one.bytes / 2]
        copied = max((one.growth.copied_bytes for one in memory.workers), default=0)
        heap = sum(one.python_bytes for one in heaps)
        if not heaps or copied < self.min_copied_bytes / 2:
            return
        bound = max(heap, copied)
        total = bound * spec.num_workers
        limit = machine.memory_limit_bytes / max(1, machine.ranks) if machine is not None else 0.0
        heavy = copied >= self.min_copied_bytes and (
            total >= self.min_bound_bytes or total >= self.min_bound_share * limit
        )
        top = heaps[0]
        workers = counted(spec.num_workers, "worker")
        yield self.finding(
            f"each worker copied up to {size(copied)} of Python objects while it read: `{top.path}` holds about "
            f"{top.objects:,} of them in {size(top.python_bytes)}; the growth ends at {size(bound)} x {workers} = "
            f"{size(total)} at most",
            advice=f"Keep `{top.path}` in arrays (numpy, torch, Arrow) or in a mapped file: their pages stay shared.",
            level=self.level if heavy else Level.INFO,
            where=spec.dataset_ref,
            copied_bytes=copied,
            bound_bytes=bound,
            total_bytes=total,
            share=total / limit if limit else 0.0,
            attribute=top.path,
            objects=top.objects,
            num_workers=spec.num_workers,
        )
