"""DL713 bursty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import bursty, level, millis, where
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class Bursty(Check):
    """Batches stall at regular intervals.

    ## Why it hurts
    A buffer that is refilled, a shard that is opened or downloaded, a cache that is thrown away:
    every so many batches one takes many times as long. The mean rate looks fine, and training stands
    still each time the prefetched batches do not last.

    ## What to do
    Do the periodic work in the background or in small pieces: open the next shard before the last one
    ends, refill the buffer a little at each sample. A larger `prefetch_factor` bridges stalls that are
    shorter than the batches in flight.

    ## When it is wrong
    Bursts that only come from several workers being ready at the same time are no stall: what counts
    is how long a batch takes to make in its worker.
    """

    rule = "DL713"
    name = "bursty"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    explained: float = 0.5
    """Share of the stalls that the period must explain."""
    periods: int = 8
    """Periods that must have been seen."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Tell period, cost and place."""
        profile = case.evidence.profile
        assert profile is not None
        if profile.stalls is None:
            yield insufficient("16 batches after the first of each worker are needed")
            return
        found = bursty(profile, self.explained, self.periods)
        if found is None:
            return
        total = found.batches * found.usual_ns + found.lost_ns
        yield self.finding(
            f"every {found.period} batches of a worker one takes {millis(found.stalled_ns)} instead of "
            f"{millis(found.usual_ns)}: {counted(found.stalls, 'stall')} in {found.batches} batches, "
            f"{percent(found.explained)} of them at that period, {percent(found.lost_ns / max(1, total))} of the time",
            advice="Spread this work over the batches in between, or do it ahead.",
            level=level(case, self.level),
            where=where(found.path, found.line),
            period=found.period,
            periods=found.periods,
            stalls=found.stalls,
            explained=found.explained,
            usual_ns=found.usual_ns,
            stalled_ns=found.stalled_ns,
            lost_ns=found.lost_ns,
            stage=found.stage,
        )
