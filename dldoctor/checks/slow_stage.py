"""DL702 slow-stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.slow_stage import contended, main_process, remedy, slow_stage
from dldoctor.checks.causes.speed import level, millis, where
from dldoctor.checks.wording import percent
from dldoctor.evidence.profile import ProfileEvidence, StageShare, WaitPart
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
    stored; where cores are free, start more workers. If it waits for storage or the network, read
    earlier or in larger pieces, or let more workers wait at the same time. If workers wait for each
    other (a lock, one connection, storage at its limit), more of them only wait longer: samples are
    read in one process alone to tell. If it waits for a core, start fewer threads or workers.

    ## When it is wrong
    Pixels of another decoder differ by a few levels from those that a model was trained with.
    Some stage is always the largest. If nothing ever waits for this loader (declare the consumer by
    `--step-ms` or `--step`), nothing is gained by a faster one.
    """

    rule = "DL702"
    name = "slow-stage"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    share: float = 0.6
    """Share of a batch's time in its worker, above which a stage dominates; of a lock a quarter is enough. Above
    the same share of the consumer's waits a phase of the main process does."""
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
        least_ns = round(self.least_ms * 1e6)
        main = main_process(profile, self.share, least_ns)
        if main is not None:
            yield self._in_main(case, profile, main)
            return
        found = slow_stage(case, self.share, least_ns)
        if found is not None:
            yield self._in_worker(case, profile, found)

    def _in_main(self, case: Case, profile: ProfileEvidence, part: WaitPart) -> Finding:
        each = part.total_ns / max(1, profile.batches)
        waits = _never_waits(case, profile)
        return self.finding(
            f"{part.what} takes {percent(part.share)} of the time that the consumer waits, {millis(each)} a batch, "
            f"in the main process, where workers cannot help",
            advice=_IN_MAIN[part.what],
            level=Level.INFO if waits else level(case, self.level),
            stage=part.what,
            share=part.share,
            own_ns=round(each),
            batch_ns=profile.batch_ns,
        )

    def _in_worker(self, case: Case, profile: ProfileEvidence, found: StageShare) -> Finding:
        per = "batch" if found.stage in ("collate", "serialise") else "sample"
        time = found.batch_ns if per == "batch" else found.sample_ns
        place = f" at {found.path}:{found.line}" if found.path else ""
        disturbed = found.runqueue_ns > QUEUED * max(1, found.batch_ns)
        alone = contended(profile)
        return self.finding(
            f"{_NAMES.get(found.stage, found.stage)}{place} takes {percent(found.share)} of a batch's time in its worker, "
            f"{millis(time)} a {per}: {_split(found)}; without it a batch would take "
            f"{millis(_without(profile, found))} instead of {millis(profile.batch_ns)}"
            + (
                "; more runs on this machine than this loader, whose own workers would fit"
                if disturbed
                else ""
            ),
            advice="Profile again while nothing else takes the cores." if disturbed else remedy(case, found),
            level=Level.INFO if disturbed or _never_waits(case, profile) else level(case, self.level),
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
            waits_alone_ns=alone.then_ns if alone else None,
            batch_ns=profile.batch_ns,
        )


_NAMES = {
    "other": "one part of your code",
    "lock": "waiting for a lock",
    "own threads": "waiting for threads of your own",
    "unseen": "code that no timer covers",
}
_IN_MAIN = {
    "sampler": "Draw the indices of an epoch at once; what the sampler does for each batch, every batch waits for.",
    "deserialise": "Send fewer bytes and fewer objects from the workers: tensors, and few of them.",
    "pin": "Send fewer bytes (uint8, shorter rows), or pin less of the batch.",
}


def _without(profile: ProfileEvidence, found: StageShare) -> float:
    """Return what a mean batch would take without this stage; stages are of all batches, the mean is of later ones."""
    whole = max(profile.batch_ns, sum(one.batch_ns for one in profile.stages))
    return profile.batch_ns * (1.0 - found.batch_ns / max(1, whole))


def _never_waits(case: Case, profile: ProfileEvidence) -> bool:
    return case.intent.step_ms is not None and profile.gap_ns < case.intent.step_ms * 1e6


def _split(found: StageShare) -> str:
    total = max(1, found.batch_ns)
    parts = [
        (found.cpu_ns / total, "computing"),
        (found.runqueue_ns / total, "waiting for a core"),
        (found.blocked_ns / total, "waiting for something else"),
    ]
    told = [f"{percent(min(share, 1.0))} {what}" for share, what in parts if share >= 0.01]
    return ", ".join(told) or "all of it short"
