"""DL511 main-guard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.phrases import place
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class MainGuard(Check):
    """A file starts workers when it is imported.

    ## Why it hurts
    A worker that is not forked imports the file in which the dataset's class stands. If the import starts
    workers, each worker would start workers again: Python refuses with "An attempt has been made to start
    a new process before the current process has finished its bootstrapping phase", and the worker exits.

    ## What to do
    Put what runs under a guard:

        if __name__ == "__main__":
            for batch in loader: ...

    ## When it is wrong
    Under `fork` such a file works, and then this is a `risk`: from Python 3.14 on, and on macOS and
    Windows, workers are not forked.
    """

    rule = "DL511"
    name = "main-guard"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "reproduction")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by processes that were started during the import."""
        measured, spec = case.evidence.reproduction, case.evidence.loader
        assert measured is not None
        assert spec is not None
        where = measured.started_at_import
        if where is None:
            if measured.failed:
                yield insufficient(f"a fresh run of the target failed: {measured.failed}")
            return
        trials = case.evidence.start_methods.trials if case.evidence.start_methods else ()
        failing = [one for one in trials if one.method != "fork" and one.outcome == "fails"]
        in_force = spec.num_workers > 0 and spec.start_method in {one.method for one in failing}
        methods = " and ".join(f"`{one.method}`" for one in failing)
        tried = f"; no worker starts by {methods}" if failing else ""
        yield self.finding(
            f"importing the file starts workers{place(where)}, outside of a main guard{tried}",
            advice='Put what runs under `if __name__ == "__main__":`.',
            level=Level.ERROR if in_force else Level.RISK,
            where=where,
            start_method=spec.start_method,
            fails_under=[one.method for one in failing],
        )
