"""DL509 loader-hang."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.endless import spinning
from dldoctor.checks.phrases import place
from dldoctor.checks.wording import figure
from dldoctor.checks.worker_died import process_named
from dldoctor.evidence.outcome import Hang, Stack, WorkAt
from dldoctor.finding import Finding, Level, SourceRef, Unjudged

FRAMES_KEPT = 12
"""Innermost frames of each thread that the finding carries."""


@dataclass(frozen=True)
class LoaderHang(Check):
    """No batch came within the deadline.

    ## Why it hurts
    The job holds its machines until someone notices. The usual cause is a lock that a thread of
    the main process held when the workers were forked (OpenCV, tokenizers, a logger, a client of
    a store): in the worker nobody is left to release it.

    ## What to do
    Read the stack of the worker that the finding names. Build pools, clients and locks in the
    worker, on first use or in `worker_init_fn`; do not use them in the main process before the
    loader starts; or pass `multiprocessing_context="spawn"`. For storage and networks, set timeouts.

    ## When it is wrong
    Where one sample honestly needs longer than the deadline (60 s, or 20 times the slowest batch so
    far): raise `--timeout`. A slow loader that moves on is not reported.
    """

    rule = "DL509"
    name = "loader-hang"
    level = Level.ERROR

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each hang; a dead worker, or a stream that loops over nothing, has its own rule."""
        looping = spinning(case)
        dead = {death.phase for death in case.evidence.outcome.deaths}
        places: set[SourceRef | None] = set()
        # A later probe that hangs with no stack to show hangs at what an earlier one has shown.
        for hang in sorted(case.evidence.outcome.hangs, key=lambda one: not one.stacks):
            again = hang.where in places if hang.stacks else bool(places)
            echo = looping is not None and hang.moving
            if echo or hang.phase in dead or again:
                continue
            places.add(hang.where)
            holder = _holder(hang)
            at = holder.at if holder else None
            yield self.finding(
                f"no batch came for {figure(hang.waited_s)} s (deadline {figure(hang.deadline_s)} s): "
                f"{_standing(hang, at)}",
                advice=_advice(case, hang, holder),
                where=hang.where,
                samples=() if at is None or at.sample is None else (at.sample,),
                waited_s=hang.waited_s,
                deadline_s=hang.deadline_s,
                samples_read=hang.samples_read,
                moving=hang.moving,
                worker=at.worker if at else None,
                stage=at.stage if at else None,
                last_sample=str(at.sample) if at and at.sample is not None else None,
                stacks=[_stack(one) for one in hang.stacks],
            )


def _holder(hang: Hang) -> Stack | None:
    """Return the stack that holds the others up: the one that stands at the user's line."""
    at_work = [one for one in hang.stacks if one.at.stage not in ("idle", "next")]
    for stack in at_work:
        if hang.where is not None and hang.where in stack.frames:
            return stack
    return at_work[0] if at_work else next(iter(hang.stacks), None)


def _standing(hang: Hang, at: WorkAt | None) -> str:
    if at is None:
        return f"{hang.samples_read} samples had been read, no stack could be taken"
    verb = "is busy" if hang.moving else "stands"
    sample = "" if at.sample is None else f" with sample {at.sample}"
    where = place(hang.where) or f" in {at.stage}"
    return f"{process_named(at)} {verb}{where}{sample}"


def _advice(case: Case, hang: Hang, holder: Stack | None) -> str:
    spec = case.evidence.loader
    if hang.moving:
        return "End the loop at the line named, or raise `--timeout` if one sample needs so long."
    if holder is not None and holder.state == "D":
        return "Check the storage that the line named reads from: the process waits for it."
    if holder is not None and holder.at.worker is not None and spec and spec.start_method == "fork":
        return "Make locks, pools and clients in the worker: one held when it was forked is never released there."
    return "See what the line named waits for, and give that wait a timeout."


def _stack(stack: Stack) -> dict[str, object]:
    return {
        "process": process_named(stack.at),
        "thread": stack.thread,
        "stage": stack.at.stage,
        "sample": None if stack.at.sample is None else str(stack.at.sample),
        "state": stack.state,
        "frames": [str(frame) for frame in stack.frames[:FRAMES_KEPT]],
    }
