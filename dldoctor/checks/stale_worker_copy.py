"""DL506 stale-worker-copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.travelled import row, stale, unjudged
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class StaleWorkerCopy(Check):
    """Workers keep an old copy of state that the main process changes.

    ## Why it hurts
    With `persistent_workers=True` each worker copies the dataset once, at the start. A `set_epoch`, a
    curriculum or a mixing weight that is changed later never reaches it: every epoch is the first one.

    ## What to do
    Share the value, so that workers see changes (`torch.tensor(0).share_memory_()`, or
    `multiprocessing.Value`), or let the sampler, which lives in the main process, send the epoch along
    with the index, or set `persistent_workers=False`.

    ## When it is wrong
    Where the attribute does not decide what items look like, it is `info`; that is found out by reading
    the same items, with equal random numbers, under the first and the last epoch.
    """

    rule = "DL506"
    name = "stale-worker-copy"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "copies")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the value in the worker at each epoch."""
        measured, spec = case.evidence.copies, case.evidence.loader
        assert measured is not None
        assert spec is not None
        if reason := unjudged(measured):
            yield reason
            return
        found = stale(measured)
        if not found:
            return
        first = found[0]
        kept = "persistent workers keep" if measured.persistent else "workers keep"
        vain = "" if measured.matters else ", though items do not depend on it"
        yield self.finding(
            f"{kept} an old copy of `{first.path}`{vain}: in epochs 0, 1, 2 the main process has {row(first.parent)}"
            f" and the workers {row(first.workers)}",
            advice="Share the value (`torch.tensor(0).share_memory_()`), or set `persistent_workers=False`.",
            level=Level.ERROR if measured.matters else Level.INFO,
            where=spec.dataset_ref,
            attributes={one.path: {"main": list(one.parent), "workers": list(one.workers)} for one in found},
            persistent_workers=measured.persistent,
            called=list(measured.called),
            items_depend_on_it=measured.matters,
        )
