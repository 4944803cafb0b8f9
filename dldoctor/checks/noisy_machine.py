"""DL903 noisy-machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NoisyMachine(Check):
    """Other work on this machine disturbs the timing.

    ## Why it hurts
    A program that takes a core while one setting is measured and not while the next one is makes the
    wrong one win. A wide interval alone would not say why.

    ## What to do
    Run the sweep again when the machine is quiet, or on cores of its own (`taskset`, a job that does
    not share its node).

    ## When it is wrong
    If the same other work will run beside the training as well. Then measure with it running all
    the time. The work of others is what the cores did beyond the processes of this run; a helper
    that your own loader started under another parent counts as others.
    """

    rule = "DL903"
    name = "noisy-machine"
    level = Level.WARNING
    by = ("sweep",)
    needs = ("sweep",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report runs that stayed disturbed after they were repeated."""
        sweep = case.evidence.sweep
        assert sweep is not None
        runs = [one for one in sweep.runs if one.disturbed]
        if not sweep.noisy or not runs:
            return
        foreign = sum(one.foreign_cores for one in runs) / len(runs)
        queued = sum(one.runqueue_share for one in runs) / len(runs)
        impact = max(one.impact for one in runs)
        said = sweep.recommended is not None
        effect = (
            "the gain that was found is larger than that"
            if said
            else "no setting is recommended, since the difference between settings may be their doing"
        )
        yield self.finding(
            f"other programs used {foreign:.2g} of {sweep.cores:g} cores during "
            f"{len(runs)} of {counted(len(sweep.runs), 'run')}, repeated where time allowed; the loader was "
            f"ready and had no core for {percent(queued)} of the time, and up to {percent(impact)} of a run is "
            f"their doing: {effect}",
            advice="Sweep again on a quiet machine, or give the run cores of its own.",
            foreign_cores=foreign,
            runqueue_share=queued,
            impact=impact,
            disturbed_runs=len(runs),
            runs=len(sweep.runs),
            level=Level.INFO if said else self.level,
        )
