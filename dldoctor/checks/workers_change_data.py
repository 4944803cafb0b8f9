"""DL504 workers-change-data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.shared_state import pairs_came_apart, suspects
from dldoctor.checks.phrases import listed, samples_named
from dldoctor.checks.wording import percent
from dldoctor.evidence.workers import WorkerDataEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class WorkersChangeData(Check):
    """With workers the loader delivers other data than without.

    ## Why it hurts
    A worker is a copy of the process. What copies share (the position in an open file) they move for
    each other, and get each other's bytes. What they do not share (a counter, a cache) each has its own
    idea of. The data are wrong without an error, or fail now and then.

    ## What to do
    Open files, archives and databases in the worker, on first use, or read with `os.pread`, which takes
    the position with it. Compute an item from its index alone, not from what was read before.

    ## When it is wrong
    Random numbers are set alike for each item, private generators included, and fields that differ
    between two runs without workers are left out. Pauses are put into `seek` of shared files, so that a
    race shows that a fast disk hides; the finding says so. A race may still hide.
    """

    rule = "DL504"
    name = "workers-change-data"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "worker_data")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items whose content changed."""
        measured = case.evidence.worker_data
        assert measured is not None
        if measured.failed:
            yield insufficient(f"workers could not be run: {measured.failed}")
        elif not measured.items:
            yield insufficient("no item could be compared")
        elif measured.changed and not pairs_came_apart(case.evidence):
            yield self._changed(case, measured)

    def _changed(self, case: Case, measured: WorkerDataEvidence) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        example, shared = measured.examples[0], suspects(case.evidence)
        fields = listed([f"`{path}`" for path in measured.paths], shown=3)
        if measured.by_order:
            why = "it depends on what was read before, also without workers: a counter or a cache"
            advice = "Compute an item from its index alone."
        elif shared:
            names = listed([f"`{one.path}` ({one.kind})" for one in shared], shown=3)
            why = f"the workers share {names}"
            advice = "Open it in the worker, on first use."
        else:
            why = "the workers share something outside of the dataset's attributes"
            advice = "Look for files, sockets or memory that were opened before the workers started."
        error = f" ({example.error})" if example.error else ""
        pauses = (
            f", with pauses put into {listed([f'`{p}`' for p in measured.provoked])}"
            if measured.provoked
            else ""
        )
        indices = list(dict.fromkeys(one.index for one in measured.examples))
        return self.finding(
            f"{measured.changed} of {measured.items} items ({percent(measured.changed / measured.items)}) come"
            f" otherwise from {measured.workers} workers than without{pauses}: {samples_named(indices, measured.changed)}"
            f" differ in {fields}{error}; {why}",
            advice=advice,
            level=Level.ERROR if spec.num_workers else Level.INFO,
            where=spec.dataset_ref,
            samples=indices,
            changed=measured.changed,
            items=measured.items,
            workers=measured.workers,
            fields=dict(measured.paths),
            depends_on_order=measured.by_order,
            shared=[one.path for one in shared],
            provoked=list(measured.provoked),
        )
