"""DL704 cpu-oversubscribed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.cores import crowded
from dldoctor.checks.causes.speed import level
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CpuOversubscribed(Check):
    """The workers run more threads than there are cores, and wait for each other.

    ## Why it hurts
    A thread that is ready and has no core does nothing. Switching between too many costs time of its
    own, caches are lost, and the training process waits for a core as well.

    ## What to do
    One thread per worker is mostly best: `cv2.setNumThreads(0)`, `OMP_NUM_THREADS=1`,
    `TOKENIZERS_PARALLELISM=false`, no thread pool in `__getitem__`. Then start no more workers than
    there are cores left.

    ## When it is wrong
    Threads of workers that mostly wait for storage disturb nobody; only waiting for a core counts
    here. Other programs on this machine take cores too: repeat the run while it is quiet.
    """

    rule = "DL704"
    name = "cpu-oversubscribed"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    waiting: float = 0.2
    """Share of a worker's busy time spent waiting for a core."""
    min_batches: int = 8
    """Batches below which nothing is judged."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare threads times workers with the cores."""
        profile = case.evidence.profile
        assert profile is not None
        if not profile.num_workers:
            yield not_applicable("the loader has no workers")
            return
        if profile.batches < self.min_batches:
            yield insufficient(f"{profile.batches} batches profiled, at least {self.min_batches} are needed")
            return
        found = crowded(case, self.waiting)
        if found is None:
            return
        wanting, cores, waiting = found
        threads = max(1, round(wanting))
        several = threads > 1
        yield self.finding(
            f"{counted(profile.num_workers, 'worker')} with {counted(threads, 'busy thread')} each run on {cores:g} cores, "
            f"and wait {percent(waiting)} of their time for a free one",
            advice="Let each worker use one thread (`cv2.setNumThreads(0)`, `OMP_NUM_THREADS=1`, no pool in `__getitem__`)."
            if several
            else f"Start no more than {max(1, int(cores))} workers.",
            # Workers of one thread may be many on purpose; whether fewer are better is for a comparison to say.
            level=level(case, self.level, sure=several),
            threads=threads,
            workers=profile.num_workers,
            cores=cores,
            waiting=waiting,
        )
