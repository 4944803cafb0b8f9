"""Which remedies are worth a try on this pipeline; each is tried in a fork of its own."""

from __future__ import annotations

import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.trial import Trial
from dldoctor.probes.profile import collect, decoders, reads, smaller_decode, statements, trials
from dldoctor.probes.profile.payload import describe
from dldoctor.probes.profile.result import Result

TRIAL_S = 60
"""A trial that takes longer is given up."""
BEAT_S = 3
START_NS = 800_000_000
"""A start of the workers that takes longer is tried again."""
WAITS = 0.3
"""Share of a sample's time spent waiting from which on it is asked what it waits for."""
DECODES = 0.15
"""Share of a batch's time in decoding from which on other decoders are tried."""

Asked = tuple[str, Callable[[], Any]]


def tried(result: Result, session: Session) -> tuple[Trial, ...]:
    """Try what this run gives reason to try."""
    found: list[Trial] = []
    for name, trial in (*_of_hand_over(result), *_of_start(result), *_of_items(result, session)):
        if session.stopping:
            break
        session.note("trial", name)
        found += _in_fork(session, trial)
    return tuple(found)


def _of_hand_over(result: Result) -> Iterator[Asked]:
    batches = result.done.batches
    if batches and result.pipeline.spec.num_workers:
        payload = describe(batches[0])
        yield "hand-over", lambda: trials.hand_over(batches[0], payload)


def _of_start(result: Result) -> Iterator[Asked]:
    pipeline, spec = result.pipeline, result.pipeline.spec
    if spec.num_workers and spec.start_method in ("spawn", "forkserver"):
        yield "pickle", lambda: [trials.pickled(pipeline.dataset)]
    start = collect.start(result.made, result.done, pipeline, 0)
    if start is not None and start.each_epoch and start.overhead_ns > START_NS:
        usual = round(statistics.median(collect.made_ns(one) for one in result.made))
        yield "start", lambda: [trials.started(pipeline.loader, start.overhead_ns, usual)]


def _of_items(result: Result, session: Session) -> Iterator[Asked]:
    """Ask first what rules decide by, then what makes their advice better."""
    pipeline = result.pipeline
    if pipeline.by_index:
        yield from _of_map_items(result, session)
    shares = statements.stage_shares(result.made, result.names)
    if pipeline.asks is None and sum(one.share for one in shares if one.stage == "decode") >= DECODES:
        yield "decoders", lambda: decoders.other_decoders(pipeline)
    if pipeline.by_index:
        yield from _of_waiting(result)


def _of_map_items(result: Result, session: Session) -> Iterator[Asked]:
    pipeline, spec = result.pipeline, result.pipeline.spec
    if spec.shuffle and not session.limits.ids:
        yield "order", lambda: [reads.sequential(pipeline)]
    order = collect.order(result.made, pipeline, result.names)
    if slow := collect.worked_by_slow(result.made, order) if order else []:
        yield "again", lambda: [trials.again(pipeline.dataset, slow)]
    yield "cache", lambda: [trials.cached(pipeline, result.sample_ns)]
    sizes = [one for made in result.made for one in made.record.resized if one.before > 4 * one.after]
    if sizes:
        yield "draft", lambda: [smaller_decode.smaller(pipeline, sizes)]


def _of_waiting(result: Result) -> Iterator[Asked]:
    """Ask what samples wait for: for the other workers, or for a device."""
    pipeline = result.pipeline
    groups = [group for _, group in collect.groups_of(result.made)]
    waited = [collect.waited_ns(group) for group in groups]
    whole = sum(collect.sample_ns(group) for group in groups)
    if pipeline.spec.num_workers > 1 and whole and sum(waited) >= WAITS * whole:
        read = {one for group in groups for one in group.ids if isinstance(one, int)}
        yield "alone", lambda: [reads.alone(pipeline, read, waited)]
    if result.storage.asked_bytes > 0:
        archives = [one.path for made in result.made for one in made.record.opened]
        yield "cold", lambda: [reads.cold(pipeline, archives[:8])]


def _limit(session: Session) -> None:
    """Show every few seconds that a trial is alive, and end it when it takes too long."""
    if not hasattr(signal, "setitimer"):
        return
    started = time.monotonic()

    def beat(*_: object) -> None:
        took = time.monotonic() - started
        if took > TRIAL_S:
            os._exit(1)
        session.note("trial", f"{took:.0f} s")

    signal.signal(signal.SIGALRM, beat)
    signal.setitimer(signal.ITIMER_REAL, BEAT_S, BEAT_S)


def _in_fork(session: Session, trial: Callable[[], Any]) -> list[Trial]:
    def attempt() -> Any:
        import torch

        # A pool of threads that was used before the fork does not live in it: one thread needs no pool.
        torch.set_num_threads(1)
        _limit(session)
        try:
            return trial()
        except Exception:  # noqa: BLE001 - the user's code; its failures are told by other rules
            return []

    try:
        answer = run_in_fork(session.staging, attempt)
    except RunDiedError:
        return []
    return [
        Trial(**{**one, "parts": tuple(tuple(part) for part in one["parts"])})
        for one in answer
        if one is not None
    ]
