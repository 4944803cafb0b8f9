"""Probe ``profile``: run the loader once with stamps and timers, then try remedies in forks."""

from __future__ import annotations

import os
import time

from dldoctor.child.session import Session
from dldoctor.foreign import attribute
from dldoctor.probes.instrument import restrict
from dldoctor.probes.loader import report_dead, seed_generators
from dldoctor.probes.profile import reachable
from dldoctor.probes.profile.remedies import tried
from dldoctor.probes.profile.repeated import further
from dldoctor.probes.profile.result import Result, time_of_batches
from dldoctor.probes.profile.run import Run, follow, form_of, instrument
from dldoctor.probes.profile.timeline import Names, timeline
from dldoctor.probes.profile.worker import ProfileConfig, bench_of
from dldoctor.targets import Pipeline

DEFAULT_BATCHES = 100
DEFAULT_SECONDS = 30.0


def run(pipeline: Pipeline, session: Session) -> None:
    """Profile the loader and send what was found."""
    if pipeline.torch_loader is None:
        session.missing("profile", "only the batches of this loader can be seen, not what makes them")
        session.missing("timing", "only the batches of this loader can be seen, not what makes them")
        return
    seed_generators(session.limits.seed)
    refused = restrict(pipeline, session.limits)
    if refused:
        session.cut(refused)
    loader = pipeline.torch_loader
    roots = (
        loader,
        pipeline.loader,
        loader.dataset,
        loader.collate_fn,
        attribute(loader, "worker_init_fn", None),
    )
    config = ProfileConfig(session.staging, token=f"profile-{os.getpid()}", files=reachable.files(roots))
    done = Run(form_of(pipeline))
    bench_of(config)  # forks inherit the timers; other workers put their own in place
    instrument(pipeline, config, done)
    enough = _Enough(session, pipeline)
    cpu_before = time.process_time_ns()
    workers = follow(pipeline.loader, done, enough, config, epochs=max(1, session.limits.epochs))
    cpu_main = time.process_time_ns() - cpu_before
    if workers is not None and report_dead(workers, session, wait=done.dead):
        session.cut(f"the loader ended after {len(done.deliveries)} batches because a worker died")
    if reason := enough.reason:
        session.cut(reason)
    names = Names()
    made = timeline(done, names, in_order=pipeline.spec.in_order)
    if not made:
        session.missing("profile", _why_nothing(done))
        if done.deliveries:
            session.evidence("timing", time_of_batches(pipeline, done))
        else:
            session.missing("timing", "no batch arrived")
        return
    more = tuple(further(pipeline, session, done, _Enough(session, pipeline), config, enough.limit_s))
    result = Result(pipeline, done, made, names, cpu_main, more)
    session.evidence("timing", result.timing())
    session.evidence("profile", result.profile())
    if not session.stopping and not done.dead:
        session.evidence("profile", result.profile(tried(result, session)))


def _why_nothing(done: Run) -> str:
    if done.dead:
        return "a worker died before the first batch"
    if done.errors:
        return f"the loader raised before the first batch: {done.errors[0]['error']}"
    return "the batches came without our stamps, because the loader uses another collate than its own"


class _Enough:
    """When to stop, and why."""

    def __init__(self, session: Session, pipeline: Pipeline) -> None:
        limits = session.limits
        self._session = session
        self._size = pipeline.spec.batch_size or 1
        self.samples, self.seconds, self.batches = limits.samples, limits.time_budget_s, limits.batches
        if self.samples is None and self.batches is None and not limits.ids:
            self.batches = DEFAULT_BATCHES if self.seconds is None else None
            self.seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds
        self.reason: str | None = None
        self.limit_s = DEFAULT_SECONDS if self.seconds is None else self.seconds

    def __call__(self, done: Run) -> bool:
        count = len(done.deliveries)
        self._session.progress(batches=count, planned=self.batches, slowest_batch_s=_slowest_s(done))
        if self._session.stopping:
            self.reason = "interrupted"
        elif self.batches is not None and count >= self.batches:
            self.reason = f"stopped after {self.batches} batches"
        elif self.samples is not None and count * self._size >= self.samples:
            self.reason = f"stopped after {self.samples} samples"
        elif self.seconds is not None and self._session.elapsed_s() >= self.seconds:
            self.reason = f"stopped after {self.seconds:g} s"
        return self.reason is not None


def _slowest_s(done: Run) -> float:
    last = done.deliveries[-1] if done.deliveries else None
    return (last.delivered_ns - last.asked_ns) / 1e9 if last else 0.0
