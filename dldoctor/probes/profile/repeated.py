"""Further epochs of a loader whose epoch is over before a rate, or the period of stalls, can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.child.session import Session
from dldoctor.probes.collect.timing import LEAST
from dldoctor.probes.profile.run import Enough, Run, follow
from dldoctor.probes.profile.stalls import BATCHES
from dldoctor.probes.profile.timeline import Made, Names, timeline
from dldoctor.probes.profile.worker import ProfileConfig
from dldoctor.targets import Pipeline

EPOCHS = 8
"""Further epochs at most."""
SHARE = 0.5
"""Share of the probe's time that all epochs together may take; remedies are tried in the rest."""


@dataclass(frozen=True)
class Epoch:
    """One epoch: its workers are new processes, so it has names and a cold window of its own."""

    made: list[Made]
    names: Names


def further(
    pipeline: Pipeline, session: Session, first: Run, enough: Enough, config: ProfileConfig, seconds: float
) -> Iterator[Epoch]:
    """Yield epochs until there are enough batches, or the next one would not fit into the time."""
    limits = session.limits
    if not first.ended or first.dead or limits.epochs > 1 or limits.ids or limits.batches or limits.samples:
        return
    spec = pipeline.spec
    cold = spec.num_workers * (spec.prefetch_factor or 2) if spec.num_workers else 1
    each = len(first.deliveries)
    counted, timed = each - cold, each - max(1, spec.num_workers)
    if counted <= 0:
        return
    epoch_s = (first.deliveries[-1].delivered_ns - first.started_ns) / 1e9
    for number in range(1, EPOCHS + 1):
        if number * counted >= LEAST and number * timed >= BATCHES:
            return
        if session.stopping or session.elapsed_s() + epoch_s > SHARE * seconds:
            return
        again = Run(first.form)
        follow(pipeline.loader, again, enough, config, keep=0)
        names = Names()
        made = timeline(again, names, in_order=False)
        if again.dead or not again.ended or not made:
            return
        yield Epoch(made, names)
