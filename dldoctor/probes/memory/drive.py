"""Runs the loader over the same batches for some epochs."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.memory import EpochTasks
from dldoctor.probes.batch_tensors import nbytes, tensors_of
from dldoctor.probes.loader import report_dead, seed_generators
from dldoctor.probes.memory.containers import lengths
from dldoctor.probes.memory.control import RUNNING, Control
from dldoctor.probes.memory.process_watch import MemoryConfig, ProcessWatch, watch_of
from dldoctor.probes.memory.same_batches import SameBatches, put_in
from dldoctor.probes.memory.standin import instrument
from dldoctor.probes.memory.tasks import tasks
from dldoctor.probes.workers import Workers, describe_loader_error, worker_is_gone
from dldoctor.targets import Pipeline

ERRORS_IN_A_ROW = 20

Step = Callable[[Any], Any]


@dataclass(frozen=True)
class Plan:
    """How much to run."""

    epochs: int
    seconds: float
    """For the first turn over the data; the others take as long as they take."""
    batches: int | None = None
    """Batches of one turn, at most."""


@dataclass
class Drive:
    """A run that is going on; the counters are in files of the run."""

    pipeline: Pipeline
    session: Session
    config: MemoryConfig
    step: Step | None = None
    batches: int = 0
    samples: int = 0
    epochs: int = 0
    tasks: list[EpochTasks] = field(default_factory=list)
    ended: str | None = None
    batch_bytes: int = 0
    batch_tensors: int = 0
    pids: set[int] = field(default_factory=set)
    collected: int = 0
    """Descriptors of this process that the garbage collector gave back in the end."""

    def __post_init__(self) -> None:
        """Put the stand-ins in place; nothing is iterated yet."""
        seed_generators(self.session.limits.seed)
        spec, inner = self.pipeline.spec, self.pipeline.torch_loader
        self.control = Control(self.config.control)
        self.workers = spec.num_workers if inner is not None else 0
        # A stream starts anew with each iterator: only a worker that lives on can show a second turn.
        self.persistent = self.workers == 0 or spec.persistent_workers or spec.kind == "iterable"
        self.config = replace(self.config, resets=not self.persistent)
        self.roots = instrument(self.pipeline, self.config)
        lengths(self.roots)  # which modules are the user's is told slowly, and known to forks from here
        self.same: SameBatches | None = None
        self.started_ns = time.perf_counter_ns()
        self._left = False
        """The epoch was left before the data of the user's loader came to their end."""
        self._failure = ""
        """What the first batch that raised said."""

    def run(self, plan: Plan) -> None:
        """Run the epochs of a plan."""
        if self.same is None and self.pipeline.torch_loader is not None:
            if self.workers and self.persistent:
                vars(self.pipeline.torch_loader)["persistent_workers"] = True
            self.same = put_in(
                self.pipeline.torch_loader, self.pipeline.spec.kind, self.control,
                turns=1 if self.persistent else 2, limit=plan.batches,
            )  # fmt: skip
            self.same.seconds = plan.seconds
            self.same.until = time.monotonic() + plan.seconds
        for number in range(plan.epochs):
            if self.ended is None:
                self._epoch(plan, last=number == plan.epochs - 1)
        if self.ended is None and not self.batches:
            self.ended = f"no batch came{self._failure and ', ' + self._failure}"

    def collect_garbage(self) -> None:
        """Collect what only reference cycles hold, and count the descriptors that it held; nothing is watched any more."""
        opened = self.watch.reader.cheap().descriptors
        gc.collect()
        self.collected = max(0, opened - self.watch.reader.cheap().descriptors)

    @property
    def ahead(self) -> int:
        """Batches that each worker has under way once an epoch has begun."""
        return self.pipeline.spec.prefetch_factor or 2 if self.workers else 0

    @property
    def watch(self) -> ProcessWatch:
        """The watch of this process."""
        return watch_of(self.config, self.roots)

    def _epoch(self, plan: Plan, *, last: bool) -> None:
        if self.same is not None:
            self.same.epoch, self.same.last = self.epochs, last
        else:
            self.control.tell(self.epochs, RUNNING)
        before = Workers.alive_now()
        self.watch.note("start", always=True)
        iterator = iter(self.pipeline.loader)
        workers = Workers(before, iterator)
        self.pids |= {process.pid for process in workers.processes if process.pid}
        so_far, self._left = self.batches, False
        gone = self._deliver(iterator, plan)
        self.pids |= {process.pid for process in workers.processes if process.pid}
        if report_dead(workers, self.session, wait=gone):
            self.ended = f"a worker died after {self.batches} batches"
        del iterator
        gc.collect(1)  # a whole collection would write to every page that the workers share
        if last:
            self.watch.finish()
        if self.same is not None and self.pipeline.spec.kind == "iterable":
            self._left = self._left or self.same.cut
            if not self._left:
                self.same.delivered = self.batches - so_far
        self.tasks.append(tasks(self.epochs, self.watch.reader, cut=self._left))
        self.epochs += 1

    def _deliver(self, iterator: Any, plan: Plan) -> bool:
        """Take the batches of one epoch; return whether a worker is gone."""
        errors = taken = 0
        until = time.monotonic() + plan.seconds
        while not self._stopped():
            self.watch.note("next", always=True)
            try:
                batch = next(iterator)
            except StopIteration:
                return False
            except Exception as error:  # noqa: BLE001 - the user's code
                if worker_is_gone(error):
                    return True
                errors += 1
                self._failure = self._failure or str(describe_loader_error(error)["error"])
                if errors >= ERRORS_IN_A_ROW:
                    self.ended = f"{errors} batches one after another raised {self._failure}"
                    return False
                continue
            errors = 0
            taken += 1
            self._take(batch)
            del batch
            if self.same is None and (time.monotonic() > until or taken == plan.batches):
                self._left = True
                return False
        return False

    def _stopped(self) -> bool:
        if self.session.stopping:
            self.ended = "interrupted"
        return self.ended is not None

    def _take(self, batch: Any) -> None:
        self.batches += 1
        if self.batches <= 4:
            self._weigh(batch)
        if self.step is not None:
            self.step(batch)
        # Without workers the collate of this very process has marked the boundary already.
        if self.workers or self.same is None:
            self.watch.boundary(self._rows)
        self.session.progress(batches=self.batches)

    @property
    def _rows(self) -> int:
        return self.pipeline.spec.batch_size or 1

    def _weigh(self, batch: Any) -> None:
        tensors = list(tensors_of(batch))
        total = sum(map(nbytes, tensors))
        self.batch_bytes, self.batch_tensors = (
            max(self.batch_bytes, total),
            max(self.batch_tensors, len(tensors)),
        )


def token(name: str) -> str:
    """Return a name of a run that no other run of this process has."""
    return f"{name}{os.getpid()}"
