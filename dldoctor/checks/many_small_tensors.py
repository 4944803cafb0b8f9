"""DL708 many-small-tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import gain, handed_over, level, millis
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ManySmallTensors(Check):
    """A batch is made of many small tensors, which cross from the worker one by one.

    ## Why it hurts
    Each tensor gets a piece of shared memory, a file descriptor and a round trip between the
    processes of its own. Hundreds of them cost more than their bytes, and use up open files.

    ## What to do
    Stack or concatenate them in the collate, with offsets or a mask beside; split them again after
    the loader, where it costs nothing. `torch.multiprocessing.set_sharing_strategy("file_system")`
    takes away some of the round trips.

    ## When it is wrong
    With 0 workers nothing crosses. What one tensor instead of many would gain is measured on a batch
    of this run, sent both ways in turns.
    """

    rule = "DL708"
    name = "many-small-tensors"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    tensors: int = 64
    """Tensors in a batch that may be."""
    gain: float = 0.2
    """Share of the time between two batches that stacking must take off."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the way of the batch as it is with that of the same bytes in few tensors."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if not spec.num_workers:
            yield not_applicable("without workers no batch crosses between processes")
            return
        payload = profile.payload
        if payload is None:
            yield insufficient("no batch was seen")
            return
        if payload.tensors <= self.tensors:
            return
        trial = profile.trial("stack")
        if trial is None:
            yield insufficient("sending the batch both ways could not be tried")
            return
        worth = handed_over(profile, "stack", self.gain) is not None
        share = gain(profile, trial)
        yield self.finding(
            f"a batch is {payload.tensors} tensors of {size(payload.tensor_bytes // payload.tensors)} on average and takes "
            f"{millis(trial.now_ns)} from the worker to you, the same bytes stacked {millis(trial.then_ns)} "
            f"({percent(share)} of the time between two batches)",
            advice="Stack or concatenate them in the collate, and split them after the loader."
            if worth
            else "Leave it; stacking gains little here.",
            level=level(case, self.level) if worth else Level.INFO,
            where=spec.collate_ref or spec.dataset_ref,
            tensors=payload.tensors,
            bytes=payload.tensor_bytes,
            now_ns=trial.now_ns,
            stacked_ns=trial.then_ns,
            ratio=trial.ratio,
            low=trial.low,
            high=trial.high,
            gain=share,
        )
