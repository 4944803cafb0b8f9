"""DL514 threads-at-fork."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.phrases import listed
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ThreadsAtFork(Check):
    """Threads are running when workers are forked.

    ## Why it hurts
    A fork copies one thread, and all locks as they are. A lock that another thread held at that moment
    stays locked in the worker for ever: it hangs at its first use, now and then, and on other machines
    only. Thread pools of libraries have the same fault.

    ## What to do
    Start threads after the workers, or in them; or use `multiprocessing_context="forkserver"`.

    ## When it is wrong
    Where the thread holds no lock that the dataset ever takes. Idle pools of numpy and OpenMP are not
    reported. Tokenizers notice a fork by themselves and go on with one thread, which is `info`.
    """

    rule = "DL514"
    name = "threads-at-fork"
    level = Level.RISK
    by = ("check-workers",)
    needs = ("loader", "handles")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the threads that were alive once the target was loaded."""
        measured, spec = case.evidence.handles, case.evidence.loader
        assert measured is not None
        assert spec is not None
        in_force = spec.num_workers > 0 and spec.start_method in (None, "fork")
        if measured.threads:
            names = listed([f"`{name}`" for name in measured.threads], shown=4)
            verb = "is" if len(measured.threads) == 1 else "are"
            yield self.finding(
                f"{'thread' if len(measured.threads) == 1 else 'threads'} {names} {verb} running when"
                f" {spec.num_workers} workers are forked; locks held there stay locked in the workers",
                advice='Start the thread later, or set `multiprocessing_context="forkserver"`.',
                level=Level.RISK if in_force else Level.INFO,
                where=spec.dataset_ref,
                threads=list(measured.threads),
                start_method=spec.start_method,
            )
        if measured.pools and in_force:
            yield self.finding(
                f"the thread pool of {listed(measured.pools)} was used before the workers are forked, and is not"
                " there in them",
                advice="Set TOKENIZERS_PARALLELISM, or tokenise in the workers only.",
                level=Level.INFO,
                pools=list(measured.pools),
            )
