"""DL510 not-picklable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.cannot_travel import cure
from dldoctor.checks.phrases import listed
from dldoctor.evidence.workers import StartMethodsEvidence, StartTrial
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NotPicklable(Check):
    """Something that the loader must send to its workers cannot be sent.

    ## Why it hurts
    Under `spawn` and `forkserver` the dataset, the collate function and `worker_init_fn` are pickled.
    Lambdas, functions inside of functions, open files, locks and generators cannot be. The error names
    only the first of them. On Linux it stays hidden up to Python 3.13; from 3.14 on, and on macOS and
    Windows, workers no longer start by `fork`.

    ## What to do
    The finding lists every leaf at fault with its attribute path, and the cure for its kind.

    ## When it is wrong
    Where the loader starts its workers by `fork`, or has none, this is `info`: the code works there and
    is only not portable. Locks, queues and shared values that travel when a process is started are not
    reported.
    """

    rule = "DL510"
    name = "not-picklable"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "start_methods")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by pickling, and by workers that were really started."""
        measured, spec = case.evidence.start_methods, case.evidence.loader
        assert measured is not None
        assert spec is not None
        by_method = {one.method: one for one in measured.trials}
        broken = {
            method: one
            for method, one in by_method.items()
            if method != "fork" and one.outcome == "fails" and not _fails_anyway(one, by_method.get("fork"))
        }
        if not measured.unpicklable and not broken:
            return
        in_force = spec.num_workers > 0 and measured.in_force in broken
        yield self._stuck(case, measured, broken, in_force=in_force)

    def _stuck(
        self, case: Case, measured: StartMethodsEvidence, broken: dict[str, StartTrial], *, in_force: bool
    ) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        leaves = measured.unpicklable
        methods = [measured.in_force] if in_force else list(broken) or ["spawn"]
        under = f"under `{measured.in_force}`, which this loader uses" if in_force else (
            f"under {' and '.join(f'`{method}`' for method in methods)}, which is not what this loader uses"
        )  # fmt: skip
        if leaves:
            named = listed([f"`{one.path}` ({one.kind})" for one in leaves], shown=6)
            message = f"{named} cannot be pickled, so no worker starts {under}"
            advice = f"`{leaves[0].path}`: {cure(leaves[0].kind)}."
        else:
            message = f"no worker starts {under}: {next(iter(broken.values())).error}"
            advice = (
                "Let the file be imported by its name, and keep what runs at its import under a main guard."
            )
        return self.finding(
            message,
            advice=advice,
            level=Level.ERROR if in_force else Level.INFO,
            where=next((one.where for one in leaves if one.where), None) or spec.dataset_ref,
            leaves=[
                {"path": one.path, "kind": one.kind, "error": one.error, "cure": cure(one.kind)}
                for one in leaves
            ],
            start_method=measured.in_force,
            default=measured.default,
            python=measured.python,
            trials={one.method: one.outcome for one in measured.trials},
        )


def _fails_anyway(trial: StartTrial, forked: StartTrial | None) -> bool:
    """Tell whether the first batch fails under every method, so that the method is not to blame."""
    return forked is not None and forked.outcome == "fails" and forked.error == trial.error
