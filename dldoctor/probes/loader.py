"""Probe ``loader``: run the user's own loader, as it is set, and sum up what comes out."""

from __future__ import annotations

import gc
import os
import random
import signal
import time
from typing import Any

from dldoctor.child.session import Session
from dldoctor.probes.archives import read_archives
from dldoctor.probes.instrument import instrument, restrict
from dldoctor.probes.loader_state import LoaderState
from dldoctor.probes.watch import WatchConfig, watch_of
from dldoctor.probes.workers import (
    WorkerGoneError,
    Workers,
    describe_loader_error,
    echoes_failed_start,
    worker_is_gone,
)
from dldoctor.probes.wrappers import AWAY, Envelope
from dldoctor.targets import Pipeline

DEFAULT_BATCHES = 100
DEFAULT_SECONDS = 30.0
GLANCE_SECONDS = 6.0
ERRORS_IN_A_ROW = 20
"""After so many failing ``next`` calls one after another the loader is given up."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Read batches until the budget is spent, and send evidence."""
    seed_generators(session.limits.seed)
    refused = restrict(pipeline, session.limits)
    if refused:
        session.cut(refused)
    config = WatchConfig(session.staging, token=f"loader-{os.getpid()}")
    form = instrument(pipeline, config)
    budget = _Budget(session, pipeline)
    state = LoaderState(pipeline, session, config, form, budget.batches)
    for epoch in range(max(1, session.limits.epochs)):
        if budget.spent(state) is None:
            _run_epoch(pipeline.loader, state, session, budget, first=epoch == 0)
    reason = budget.spent(state)
    if reason:
        session.cut(reason)
    state.send(final=True)
    session.leave_note("loader", state.notes())
    read_archives(sorted(state.archives), session)


def _run_epoch(loader: Any, state: LoaderState, session: Session, budget: _Budget, *, first: bool) -> None:
    before = Workers.alive_now()
    watch_of(state.config).note("start")
    started = time.perf_counter_ns()
    try:
        iterator = iter(loader)
    except Exception as error:  # noqa: BLE001 - starting workers pickles the user's objects
        state.loader_error(describe_loader_error(error))
        return
    workers = Workers(before, iterator)
    gone = False
    try:
        ended = _deliver(iterator, state, budget, started)
    except WorkerGoneError:
        gone, ended = True, False
    if report_dead(workers, session, wait=gone):
        session.cut(f"the loader ended after {state.batches.delivered} batches because a worker died")
    elif ended and first:
        state.end_epoch()
    watch_of(state.config).note("shutdown", state.last_sample)
    del iterator
    gc.collect()


def _deliver(iterator: Any, state: LoaderState, budget: _Budget, started: int) -> bool:
    """Take batches until the budget is spent; return whether the loader came to its end by itself."""
    errors = 0
    while budget.spent(state) is None:
        watch_of(state.config).note("next", state.last_sample)
        try:
            batch = next(iterator)
        except StopIteration:
            return errors == 0
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # the user's loader
            if worker_is_gone(error):
                raise WorkerGoneError from error
            errors += 1
            _note(error, state)
            if errors >= ERRORS_IN_A_ROW:
                return False
            started = time.perf_counter_ns()
            continue
        errors = 0
        elapsed = time.perf_counter_ns() - started
        try:
            if isinstance(batch, Envelope):
                state.take(batch.batch, batch.record, elapsed)
            else:
                state.take(batch, AWAY.popleft() if AWAY else None, elapsed)
        except RuntimeError as error:  # torch's signal handler raises wherever the process happens to be
            if not worker_is_gone(error):
                raise
            raise WorkerGoneError from error
        del batch
        started = time.perf_counter_ns()
    return False


def _note(error: BaseException, state: LoaderState) -> None:
    if not echoes_failed_start(error):
        state.loader_error(describe_loader_error(error))


def report_dead(workers: Workers, session: Session, *, wait: bool) -> bool:
    """Send the workers that ended badly to the parent; `wait`: one is known to be gone. Return whether any was."""
    # From here on a dead worker is counted by us, not raised by torch in the middle of it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    deadline = time.monotonic() + (1.0 if wait else 0.0)
    dead = workers.dead()
    while not dead and time.monotonic() < deadline:  # the exit code arrives a moment after the error
        time.sleep(0.05)
        dead = workers.dead()
    if not dead and wait:
        dead = [one for one in workers.gone() if one[2] == 0]  # ``os._exit(0)`` in the middle of an epoch
    notes = session.board.read()
    session.add_deadly([notes[number + 1].sample for number, _, _ in dead if number + 1 in notes])
    for number, pid, code in dead[:4]:
        session.channel.send("death", worker=number, pid=pid, code=code, phase=session.phase)
    return bool(dead)


def seed_generators(seed: int | None) -> None:
    """Seed the three generators that users draw from, where a seed was given."""
    if seed is None:
        return
    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    try:
        import numpy as np
    except ImportError:
        return
    np.random.seed(seed % 2**32)  # noqa: NPY002 - the global generator is what users draw from


class _Budget:
    """When to stop reading."""

    def __init__(self, session: Session, pipeline: Pipeline) -> None:
        limits = session.limits
        self._session = session
        self.samples = limits.samples
        self.seconds = limits.time_budget_s
        self.batches = limits.batches
        if limits.ids and pipeline.spec.kind == "map":
            return
        glance = session.request.options.get("loader_batches")
        if self.samples is None and self.batches is None and glance:
            # A command that measures something else wants a look at the batches, not a whole reading.
            self.batches, self.seconds = glance, min(GLANCE_SECONDS, self.seconds or GLANCE_SECONDS)
        if self.samples is None and self.batches is None:
            self.batches = None if self.seconds is not None else DEFAULT_BATCHES
            self.seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds

    def spent(self, state: LoaderState) -> str | None:
        """Return why reading ends here, or None to go on."""
        if self._session.stopping:
            return "interrupted"
        if self.batches is not None and state.batches.delivered >= self.batches:
            return f"stopped after {self.batches} batches"
        if self.samples is not None and state.samples.read + state.samples.failed >= self.samples:
            return f"stopped after {self.samples} samples"
        if self.seconds is not None and self._session.elapsed_s() >= self.seconds:
            return f"stopped after {self.seconds:g} s"
        return None
