"""Runs the loader with stamps and timers in place, and keeps what came beside each batch."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dldoctor.probes.profile.stamps import AWAY, Arrived, TimedEnvelope
from dldoctor.probes.profile.standins import Issued, TimedCollate, TimedSampler, timed
from dldoctor.probes.profile.worker import ProfileConfig, bench_of
from dldoctor.probes.workers import WorkerGoneError, Workers, describe_loader_error, worker_is_gone
from dldoctor.targets import Pipeline

ERRORS_IN_A_ROW = 20
BATCHES_KEPT = 20_000


@dataclass(frozen=True)
class Delivery:
    """One batch as the consumer met it."""

    number: int
    epoch: int
    asked_ns: int
    delivered_ns: int
    arrived: Arrived | None
    """None where nothing came beside it."""


@dataclass
class Run:
    """What one run left."""

    form: str
    started_ns: int = 0
    """When the first ``iter(loader)`` was called."""
    deliveries: list[Delivery] = field(default_factory=list)
    issued: list[Issued] = field(default_factory=list)
    epoch_starts: list[int] = field(default_factory=list)
    batches: list[Any] = field(default_factory=list)
    """The first batches themselves, for the trials."""
    errors: list[dict[str, Any]] = field(default_factory=list)
    ended: bool = False
    """The loader came to its end by itself."""
    dead: bool = False
    """A worker died."""


Enough = Callable[[Run], bool]


def instrument(pipeline: Pipeline, config: ProfileConfig, run: Run) -> None:
    """Put the stand-ins into the loader's ``vars()``, past its guard against later changes."""
    inner = pipeline.torch_loader
    if inner is None:
        return
    attributes = vars(inner)
    attributes["dataset"] = timed(attributes["dataset"], config, swallow=run.form == "envelope")
    attributes["collate_fn"] = TimedCollate(attributes["collate_fn"], config, run.form)
    name = "batch_sampler" if attributes.get("batch_sampler") is not None else "sampler"
    if attributes.get(name) is not None:
        attributes[name] = TimedSampler(attributes[name], run.issued)


def form_of(pipeline: Pipeline) -> str:
    """Return how records arrive; see `dldoctor.probes.instrument`."""
    if pipeline.torch_loader is None:
        return "none"
    if pipeline.loader is not pipeline.torch_loader:
        return "aside"
    owner = next(base for base in type(pipeline.loader).__mro__ if "__iter__" in base.__dict__)
    return "envelope" if owner.__module__.split(".", 1)[0] in ("torch", "torchdata") else "aside"


def follow(
    loader: Any, run: Run, enough: Enough, config: ProfileConfig, *, keep: int = 3, epochs: int = 1
) -> Workers | None:
    """Iterate until it ends or `enough` says so; return the workers, to see how they ended."""
    run.started_ns = time.perf_counter_ns()
    workers = None
    for epoch in range(epochs):
        if enough(run):
            break
        before = Workers.alive_now()
        bench = bench_of(config)
        bench.note("start")
        run.epoch_starts.append(time.perf_counter_ns())
        iterator = iter(loader)
        workers = Workers(before, iterator)
        try:
            run.ended = _deliver(iterator, run, enough, epoch, keep)
        except WorkerGoneError:
            run.dead = True
            return workers
        bench.note("shutdown")
        del iterator
        gc.collect()
    return workers


def _deliver(iterator: Any, run: Run, enough: Enough, epoch: int, keep: int) -> bool:
    errors = 0
    while not enough(run):
        asked = time.perf_counter_ns()
        try:
            batch = next(iterator)
        except StopIteration:
            return errors == 0
        except Exception as error:
            if worker_is_gone(error):
                raise WorkerGoneError from error
            errors += 1
            run.errors.append(describe_loader_error(error))
            if errors >= ERRORS_IN_A_ROW:
                return False
            continue
        delivered = time.perf_counter_ns()
        errors = 0
        arrived = None
        if isinstance(batch, TimedEnvelope):
            arrived = Arrived(batch.before, batch.after, batch.record)
            batch = batch.batch
        elif AWAY:
            arrived = AWAY.popleft()
        if len(run.deliveries) < BATCHES_KEPT:
            number = len(run.deliveries)
            run.deliveries.append(Delivery(number, epoch, asked, delivered, arrived))
        if batch is not None and len(run.batches) < keep:
            run.batches.append(batch)
        del batch
    return False
