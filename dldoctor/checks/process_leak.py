"""DL807 process-leak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.memory import rising_tasks
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ProcessLeak(Check):
    """There are more threads or processes after each epoch.

    ## Why it hurts
    Each has a stack, descriptors and often a whole pool behind it. Training slows down from epoch
    to epoch, and ends with "can't start new thread" or at the process limit of the container.

    ## What to do
    Make pools and prefetching threads once, or end them where the epoch ends: `with
    ThreadPoolExecutor() as pool`, `pool.shutdown()`, `pool.terminate()` and `join()`, a `finally`
    around the loop that yields.

    ## When it is wrong
    Workers that live on (`persistent_workers=True`) and pools that fill up lazily stop growing,
    and only counts that rise after every single epoch are told. A long stream is left early in
    this run: what a generator would end after its last item is then still there, and the finding
    is a note.
    """

    rule = "DL807"
    name = "process-leak"
    level = Level.ERROR
    by = ("watch-memory",)
    needs = ("memory",)

    min_epochs: int = 3
    """Epochs that must have been run."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare what lives after each epoch."""
        memory = case.evidence.memory
        assert memory is not None
        if len(memory.tasks) < self.min_epochs:
            yield insufficient(
                f"{len(memory.tasks)} of at least {self.min_epochs} epochs were run (`--epochs`)"
            )
            return
        found = rising_tasks(memory)
        if found is None:
            return
        what, counts = found
        last = memory.tasks[-1]
        names = last.process_names if what == "processes" else last.thread_names
        listed = f" ({', '.join(names[:4])})" if names and "worker" not in what else ""
        shown = ", ".join(str(count) for count in counts[:6])
        cut = all(one.cut for one in memory.tasks)
        when = "; each epoch was left before its end here, and where epochs are read to their end they may end as well"
        yield self.finding(
            f"{what} that live after an epoch rise with every epoch: {shown}{listed}{when if cut else ''}",
            advice="End the pool, thread or process of an epoch in a `finally`, so that it ends when the loop is left early too."
            if cut
            else "End the pool, thread or process of an epoch when the epoch ends.",
            level=Level.INFO if cut else self.level,
            what=what,
            counts=counts,
            names=list(names),
        )
