"""DL904 start-method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.cannot_travel import cure
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class StartMethod(Check):
    """The loader works under one way of starting workers only.

    ## Why it hurts
    Linux forked workers by default up to Python 3.13; macOS and Windows spawn them, and from
    Python 3.14 on Linux no longer forks either. A dataset or collate that cannot be pickled
    (a lambda, a local function, an open handle) then fails on the first batch.

    ## What to do
    Move lambdas and local functions to module level, drop handles in `__getstate__`, and open them
    in the worker. Until then say which method is meant: `multiprocessing_context="fork"`.

    ## When it is wrong
    If the code will only ever run where workers are forked, nothing needs to be done, and the
    finding is a note.
    """

    rule = "DL904"
    name = "start-method"
    level = Level.RISK
    by = ("env",)
    needs = ("needs", "loader")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Ask whether what a worker needs can be sent to one that is not forked."""
        needs, spec = case.evidence.needs, case.evidence.loader
        assert needs is not None
        assert spec is not None
        if spec.num_workers == 0:
            yield not_applicable("no worker is started")
            return
        if spec.start_method != "fork" or needs.unpicklable is None:
            return
        differs = needs.default_start_method not in ("", "fork")
        default = (
            f"the default here is {needs.default_start_method}"
            if differs
            else "the default here is fork too, and no longer is from Python 3.14 on"
        )
        path = needs.unpicklable.partition(": ")[0]
        yield self.finding(
            f"workers are forked, and could not be started otherwise: {needs.unpicklable}; {default}",
            advice=f"`{path}`: {cure(needs.unpicklable_kind)}."
            if needs.unpicklable_kind
            else "Move it to module level, or make it in the worker, so that it can be pickled.",
            level=self.level if differs else Level.INFO,
            where=spec.collate_ref if path.startswith("collate_fn") else spec.dataset_ref,
            start_method=spec.start_method,
            default=needs.default_start_method,
            reason=needs.unpicklable,
            kind=needs.unpicklable_kind,
        )
