"""DL709 pickled-payload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import gain, handed_over, level, millis
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PickledPayload(Check):
    """Large arrays or objects of a batch are copied through a pipe instead of shared memory.

    ## Why it hurts
    Tensors lie in shared memory and only their handle is sent. Everything else (NumPy arrays, bytes,
    images, long lists) is pickled: copied into a pipe of 64 kB, piece by piece, while the other
    workers wait for the lock on it, and copied out again in the training process.

    ## What to do
    Turn arrays into tensors in the collate (`torch.from_numpy` copies nothing). Keep large metadata
    out of the batch and send its index.

    ## When it is wrong
    With 0 workers nothing is pickled. What tensors would gain is measured on a batch of this run, sent
    both ways in turns.
    """

    rule = "DL709"
    name = "pickled-payload"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    megabytes: float = 1.0
    """Pickled bytes in a batch that may be."""
    gain: float = 0.2
    """Share of the time between two batches that tensors must take off."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the way of the batch as it is with that of the same bytes in tensors."""
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
        if payload.pickled_bytes <= self.megabytes * 1e6:
            return
        trial = profile.trial("tensors")
        if trial is None:
            yield insufficient("sending the batch both ways could not be tried")
            return
        path, kind, largest = payload.pickled[0]
        worth = handed_over(profile, "tensors", self.gain) is not None
        yield self.finding(
            f"`{path}` sends {size(largest)} of {kind} in each batch by pickle; the batch takes {millis(trial.now_ns)} "
            f"from the worker to you, as tensors {millis(trial.then_ns)} "
            f"({percent(gain(profile, trial))} of the time between two batches)",
            advice=f"Turn `{path}` into a tensor in the collate."
            if worth
            else "Leave it; tensors gain little here.",
            level=level(case, self.level) if worth else Level.INFO,
            where=spec.collate_ref or spec.dataset_ref,
            field=path,
            kind=kind,
            bytes=payload.pickled_bytes,
            now_ns=trial.now_ns,
            tensors_ns=trial.then_ns,
            ratio=trial.ratio,
            low=trial.low,
            high=trial.high,
            gain=gain(profile, trial),
        )
