"""DL702 slow-stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import level, millis, slow_stage, where
from dldoctor.checks.wording import percent
from dldoctor.evidence.profile import StageShare
from dldoctor.finding import Finding, Level, Unjudged

QUEUED = 0.4
"""Share of a stage's time in the queue for a core from which on that is what makes it slow. Where the
loader's own workers fill the cores, another rule has said so."""


@dataclass(frozen=True)
class SlowStage(Check):
    """One stage of loading takes most of the time that a batch spends in its worker.

    ## Why it hurts
    The slowest stage sets the rate of the loader. The split into computing, waiting for a core and
    waiting for anything else says which remedy can help: more workers hide waiting, not computing.

    ## What to do
    If the stage computes, do less of it: a faster library, a smaller input, work done once and
    stored. If it waits for storage or the network, read earlier or in larger pieces, or let more
    workers wait at the same time. If it waits for a core, start fewer threads or workers.

    ## When it is wrong
    Some stage is always the largest. If nothing ever waits for this loader (declare the consumer by
    `--step-ms` or `--step`), nothing is gained by a faster one.
    """

    rule = "DL702"
    name = "slow-stage"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    share: float = 0.6
    """Share of a batch's time in its worker, above which a stage dominates."""
    least_ms: float = 1.0
    """A stage below this per sample (collate and serialising: per batch) is fast enough."""
    min_batches: int = 8
    """Batches below which nothing is judged."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Name the stage, its line, and what its time is spent on."""
        profile = case.evidence.profile
        assert profile is not None
        if profile.batches < self.min_batches:
            yield insufficient(f"{profile.batches} batches profiled, at least {self.min_batches} are needed")
            return
        found = slow_stage(case, self.share, round(self.least_ms * 1e6))
        if found is None:
            return
        per = "batch" if found.stage in ("collate", "serialise") else "sample"
        time = found.batch_ns if per == "batch" else found.sample_ns
        place = f" at {found.path}:{found.line}" if found.path else ""
        stage = found.stage if found.stage != "other" else "one part of your code"
        disturbed = found.runqueue_ns > QUEUED * max(1, found.batch_ns)
        waits = case.intent.step_ms is not None and profile.gap_ns < case.intent.step_ms * 1e6
        yield self.finding(
            f"{stage}{place} takes {percent(found.share)} of a batch's time in its worker, {millis(time)} a {per}: "
            f"{_split(found)}; without it a batch would take {millis(max(0, profile.batch_ns - found.batch_ns))} "
            f"instead of {millis(profile.batch_ns)}"
            + (
                "; more runs on this machine than this loader, whose own workers would fit"
                if disturbed
                else ""
            ),
            advice="Profile again while nothing else takes the cores." if disturbed else _advice(found),
            level=Level.INFO if waits or disturbed else level(case, self.level),
            where=where(found.path, found.line, found.name),
            stage=found.stage,
            call=found.call,
            share=found.share,
            low=found.low,
            high=found.high,
            own_ns=found.batch_ns,
            cpu_ns=found.cpu_ns,
            runqueue_ns=found.runqueue_ns,
            blocked_ns=found.blocked_ns,
            batch_ns=profile.batch_ns,
        )


def _split(found: StageShare) -> str:
    total = max(1, found.batch_ns)
    parts = [
        (found.cpu_ns / total, "computing"),
        (found.runqueue_ns / total, "waiting for a core"),
        (found.blocked_ns / total, "waiting for something else"),
    ]
    told = [f"{percent(min(share, 1.0))} {what}" for share, what in parts if share >= 0.01]
    return ", ".join(told) or "all of it short"


def _advice(found: StageShare) -> str:
    total = max(1, found.batch_ns)
    if found.blocked_ns > 0.5 * total:
        return "Let more workers wait at the same time (`num_workers`), or read earlier and in larger pieces."
    if found.stage == "decode":
        return "Decode less or faster: a smaller stored size, another decoder, or decode once and store the result."
    if found.stage == "tokenise":
        return "Tokenise once before training and store the ids."
    if found.stage == "collate":
        return "Make the collate do less for each sample: move work into `__getitem__`, and stack once."
    if found.stage == "serialise":
        return "Send fewer bytes and fewer objects from the workers."
    return "Make this statement cheaper, or do its work once before training."
