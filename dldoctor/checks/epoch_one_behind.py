"""DL507 epoch-one-behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.travelled import one_behind, row, unjudged
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class EpochOneBehind(Check):
    """Workers see the epoch of the one before.

    ## Why it hurts
    The loader starts its workers first and asks the sampler for indices afterwards. A sampler that tells
    the dataset the epoch while it is being iterated tells a dataset whose copies are already made. The
    second epoch repeats the random numbers and the order of the first, and everything stays one behind.

    ## What to do
    Call `set_epoch` on the dataset before `iter(loader)`, not inside the sampler.

    ## When it is wrong
    Where the attribute does not decide what items look like, it is `info`.
    """

    rule = "DL507"
    name = "epoch-one-behind"
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
        found = one_behind(measured)
        if not found:
            return
        first = found[0]
        vain = "" if measured.matters else ", though items do not depend on it"
        yield self.finding(
            f"workers see `{first.path}` one epoch late{vain}: in epochs 0, 1, 2 the main process has"
            f" {row(first.parent)} and the workers {row(first.workers)}",
            advice="Set the epoch before `iter(loader)`, not while the sampler is iterated.",
            level=Level.ERROR if measured.matters else Level.INFO,
            where=spec.sampler_ref or spec.dataset_ref,
            attributes={one.path: {"main": list(one.parent), "workers": list(one.workers)} for one in found},
            called=list(measured.called),
            items_depend_on_it=measured.matters,
        )
