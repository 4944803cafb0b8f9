"""DL706 worker-startup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import level, millis
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class WorkerStartup(Check):
    """Each epoch waits for its workers to start.

    ## Why it hurts
    Without `persistent_workers` every epoch starts new worker processes: they are forked or
    interpreters begin anew, the dataset is sent, `worker_init_fn` runs, files are opened. Training
    stands still until the first batch. Evaluation within training pays it each time, too.

    ## What to do
    `persistent_workers=True` keeps them from epoch to epoch. Or make the start cheaper: open less in
    `worker_init_fn`, hold less in the dataset, use `fork` or a preloaded `forkserver`.

    ## When it is wrong
    A loader that runs for one epoch only pays once. With persistent workers a dataset that the main
    process changes between epochs is not seen by them.
    """

    rule = "DL706"
    name = "worker-startup"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    share: float = 0.05
    """Share of an epoch."""
    seconds: float = 1.0
    """And so long."""
    pickle_seconds: float = 1.0
    """Where sending the dataset takes so long, `DL707` speaks."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the first batch with a usual one and with the epoch."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        start = profile.start
        if not spec.num_workers or start is None:
            yield not_applicable("the loader has no workers")
            return
        if not start.each_epoch:
            return
        if start.epoch_ns is None:
            yield insufficient("how many batches an epoch has is not known")
            return
        sent = profile.trial("pickle")
        if sent is not None and sent.now_ns > self.pickle_seconds * 1e9:
            return
        again = profile.trial("start")
        overhead = min(start.overhead_ns, again.then_ns) if again else start.overhead_ns
        share = overhead / max(1, start.epoch_ns)
        if share <= self.share or overhead <= self.seconds * 1e9:
            return
        yield self.finding(
            f"each epoch waits {millis(overhead)} for its workers before the first batch, "
            f"{percent(share)} of an epoch of {millis(start.epoch_ns)}",
            advice="Pass `persistent_workers=True`.",
            level=level(case, self.level),
            where=spec.dataset_ref,
            first_batch_ns=start.first_batch_ns,
            overhead_ns=overhead,
            workers_ns=start.workers_ns,
            epoch_ns=start.epoch_ns,
            share=share,
        )
