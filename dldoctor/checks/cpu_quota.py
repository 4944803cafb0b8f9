"""DL901 cpu-quota."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CpuQuota(Check):
    """Fewer cores may be used than the machine shows.

    ## Why it hurts
    A container with a quota of 4 cores on a machine with 64 shows 64. Libraries that count them
    start 64 threads in each worker, the quota is used up in a part of each period, and everything
    waits for the next one. torch's own hint on workers does not see the quota either.

    ## What to do
    Choose `num_workers` by the cores that may be used, and set `OMP_NUM_THREADS=1` in workers.
    Where a library or a launcher pins the process to a core, undo it (`os.sched_setaffinity`), or
    ask for more cores.

    ## When it is wrong
    A loader whose workers mostly wait for storage may well have more of them than cores.
    """

    rule = "DL901"
    name = "cpu-quota"
    level = Level.WARNING
    by = ("env",)
    needs = ("environment",)

    min_ratio: float = 2.0
    """Cores shown for each that may be used, from which it matters without a loader to judge by."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the cores shown with those allowed, and with the workers of the loader."""
        machine, needs, spec = case.evidence.environment, case.evidence.needs, case.evidence.loader
        assert machine is not None
        usable, shown = machine.cores_usable, machine.cores_total
        pinned = needs is not None and needs.cores is not None and needs.cores < usable
        if pinned and needs is not None and needs.cores is not None:
            usable = float(needs.cores)
        if usable >= shown and not pinned:
            return
        ranks = case.evidence.machine.ranks if case.evidence.machine is not None else 1
        workers = spec.num_workers * ranks if spec is not None else None
        if pinned:
            why = "the target's own code pins the process"
        elif machine.cores_quota is not None and machine.cores_quota < machine.cores_affinity:
            why = "the cgroup's quota"
        else:
            why = "the affinity of the process"
        over = workers > usable if workers is not None else shown >= self.min_ratio * usable
        asked = f", and the loader asks for {workers} workers" if workers else ""
        yield self.finding(
            f"{usable:g} of {shown} cores may be used ({why}){asked}",
            advice="Choose `num_workers` and the threads of libraries by the cores that may be used.",
            level=self.level if over else Level.INFO,
            cores_usable=usable,
            cores_shown=shown,
            quota=machine.cores_quota,
            affinity=machine.cores_affinity,
            workers=workers,
        )
