"""DL501 worker-rng-duplicated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.repeats import (
    ADVICE,
    Repeat,
    facts_of,
    judged,
    measured_by,
    origin_named,
    place_of,
    values_named,
)
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class WorkerRngDuplicated(Check):
    """Several workers draw the same random numbers.

    ## Why it hurts
    Samples that lie side by side get the same crop, the same noise, the same mask. The augmentation is
    worth a fraction of what it seems, and batch statistics are skewed. Nothing fails and no loss shows it.

    ## What to do
    PyTorch seeds `random`, `numpy.random` and `torch` in each worker. A generator that an object keeps
    for itself is copied to each worker as it is, so make it there, on first use:

        def rng(self):
            if self._rng is None:
                self._rng = numpy.random.default_rng(torch.initial_seed())
            return self._rng

    A `worker_init_fn` that seeds needs no number but the one that PyTorch gives: `torch.initial_seed()`
    differs in each worker, epoch and run.

    ## When it is wrong
    The same items are read several times by each worker, and only what varies with the reads is
    compared, so deterministic items and generators seeded by the index are not reported. A value that
    merely counts the reads looks alike: without a generator behind it, it is `info`.
    """

    rule = "DL501"
    name = "worker-rng-duplicated"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "randomness")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what agreed between workers although it varied with the reads."""
        measured, spec = measured_by(case)
        found = judged(case, "workers")
        if not isinstance(found, Repeat):
            yield from () if found is None else (found,)
            return
        # Without two workers in force nothing is drawn twice yet.
        real = spec.num_workers >= 2 and found.origin != "unknown"
        when = "" if spec.num_workers >= 2 else f" if the loader has {measured.workers} workers"
        yield self.finding(
            f"all {measured.workers} workers draw the same random numbers{when}: {values_named(found)}, "
            f"{origin_named(found, measured)}",
            advice=ADVICE[found.origin],
            level=Level.ERROR if real else Level.INFO,
            where=place_of(found, measured, spec),
            samples=measured.indices,
            **facts_of(found, measured),
        )
