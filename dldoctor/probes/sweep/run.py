"""One run of the loader under one setting; called in a fork that ends with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from dldoctor.child.session import Session
from dldoctor.probes.instrument import instrument
from dldoctor.probes.sweep.consumer import Consumer, ConsumerSpec
from dldoctor.probes.sweep.cpu import Usage, ancestors, usage, window
from dldoctor.probes.sweep.host import open_descriptors, private_bytes
from dldoctor.probes.sweep.setting import apply, never_end
from dldoctor.probes.sweep.step import load_step
from dldoctor.probes.watch import WatchConfig
from dldoctor.probes.workers import Workers, describe_loader_error, worker_is_gone
from dldoctor.probes.wrappers import Envelope
from dldoctor.sweep.blocks import rate_of
from dldoctor.sweep.model import Setting
from dldoctor.sweep.plan import enough
from dldoctor.targets import Pipeline

STOP_FILE = "sweep-stop"
ERRORS_TAKEN = 20
PATIENCE_S = 20.0
"""How long a run waits for its first few batches, however short it was planned."""
_STEPS_KEPT = 200


@dataclass(frozen=True)
class Order:
    """What one run is to do."""

    what: str
    setting: Setting
    consumer: ConsumerSpec
    seconds: float
    cores: float
    extra: dict[str, Any] | None = None
    watched: bool = False
    """Note each sample on the board: for loaders so slow that nothing might move for a minute."""
    affinity: tuple[int, ...] = ()
    """Cores to keep to, where several ranks share the host."""
    doing: str = ""
    """What progress says."""
    left_s: float | None = None


def run_order(pipeline: Pipeline, session: Session, order: Order) -> dict[str, Any]:
    """Run the loader and return what was measured, as plain values."""
    if order.affinity:
        os.sched_setaffinity(0, order.affinity)
    apply(pipeline, order.setting, order.extra)
    never_end(pipeline)
    if order.watched:
        instrument(pipeline, WatchConfig(session.staging, token=f"sweep-{os.getpid()}"))
    consumer, gpu = load_step(order.consumer)
    run = _Run(session, order, consumer, gpu)
    before = Workers.alive_now()
    started = time.perf_counter()
    try:
        iterator = iter(pipeline.loader)
        run.workers = Workers(before, iterator)
        run.deliver(iterator, started)
    except Exception as error:  # noqa: BLE001 - the user's own
        run.fail(error)
    return run.result(started)


class _Run:
    """Counts what one run delivers."""

    def __init__(
        self, session: Session, order: Order, consumer: Consumer, gpu: Callable[[], float | None] | None
    ) -> None:
        self.session, self.order, self.consumer, self.gpu = session, order, consumer, gpu
        self.workers: Workers | None = None
        self.above = ancestors()
        self.stamps: list[float] = []
        self.waits: list[float] = []
        self.first: Usage | None = None
        self.last: Usage | None = None
        self.counting_s = 0.0
        self.first_at = 0
        self.step_cpu = 0.0
        self.errors: list[dict[str, Any]] = []
        self.dead: list[tuple[int, int, int]] = []
        self.utilisation: list[float] = []
        self._looked = 0.0

    def deliver(self, iterator: Iterator[Any], started: float) -> None:
        """Take batches until enough were counted, or the time is over."""
        asked = started
        while True:
            self.session.note("next")
            try:
                batch = next(iterator)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 - the user's own
                self.fail(error)
                if self.dead or len(self.errors) >= ERRORS_TAKEN:
                    return
                asked = time.perf_counter()
                continue
            now = time.perf_counter()
            self.stamps.append(now)
            self.waits.append(now - asked)
            self.consumer.take(batch.batch if isinstance(batch, Envelope) else batch)
            del batch
            if len(self.stamps) == self._warm_up():
                self._begin()
            if self._look(started):
                self.last = self._usage()
                return
            asked = time.perf_counter()

    def _warm_up(self) -> int:
        return max(2, self.order.setting.credits + 2)

    def _begin(self) -> None:
        self.first, self.first_at = self._usage(), len(self.stamps)
        self.counting_s = time.perf_counter()
        self.step_cpu = self.consumer.cpu_s

    def _usage(self) -> Usage:
        pids = [p.pid for p in self.workers.processes if p.pid] if self.workers else []
        return usage(pids, self.above)

    def _look(self, started: float) -> bool:
        """Tell whether the run may end; what costs time is done a few times a second only."""
        now = time.perf_counter()
        if now - self._looked < 0.1:
            return False
        self._looked = now
        self.session.progress(doing=self.order.doing, batches=len(self.stamps), left_s=self.order.left_s)
        if self.gpu is not None and (share := self.gpu()) is not None and self.first is not None:
            self.utilisation.append(share)
        if os.path.exists(os.path.join(self.session.staging, STOP_FILE)):
            return True
        rate = rate_of(self.stamps, self.order.setting.credits)
        counted = max(0, len(self.stamps) - self._warm_up())
        flying = self.order.setting.credits
        half = rate.half if rate else None
        # The start of the workers is no part of the run's length, but it must not last forever either.
        since = now - self.counting_s if self.first is not None else 0.0
        return (
            enough(counted, flying, half, since, self.order.seconds)
            or (now - started > 4 * self.order.seconds and counted >= 4)
            or now - started > max(8 * self.order.seconds, PATIENCE_S)
        )

    def fail(self, error: BaseException) -> None:
        """Note what the user's code raised, and which workers are gone."""
        self.errors.append(describe_loader_error(error))
        if worker_is_gone(error) and self.workers is not None:
            time.sleep(0.2)  # the exit code arrives a moment after the error
            self.dead = self.workers.dead() or self.workers.gone()

    def result(self, started: float) -> dict[str, Any]:
        """Return the figures."""
        setting = self.order.setting
        rate = rate_of(self.stamps, setting.credits)
        found: dict[str, Any] = {
            "rate": rate.value if rate else None,
            "low": rate.low if rate else None,
            "high": rate.high if rate else None,
            "batches": rate.batches if rate else 0,
            "startup_s": self.stamps[0] - started if self.stamps else 0.0,
            "seconds": time.perf_counter() - started,
            "errors": self.errors[:3],
            "dead": [list(one) for one in self.dead],
            "steps": list(self.consumer.steps().step_s[-_STEPS_KEPT:]),
            "step_host_s": self.consumer.steps().host_s,
            **self._memory(),
            "gpu": sum(self.utilisation) / len(self.utilisation) if self.utilisation else None,
        }
        counted = len(self.stamps) - self.first_at
        if self.first is not None and counted > 0:
            found |= self._figures(counted)
        return found

    def _memory(self) -> dict[str, Any]:
        pids = [p.pid for p in self.workers.processes if p.pid] if self.workers else []
        own = [private_bytes(pid) for pid in pids]
        return {
            "worker_bytes": sum(own) / len(own) if own else 0.0,
            "main_bytes": private_bytes(os.getpid()),
            "descriptors": open_descriptors(),
        }

    def _figures(self, counted: int) -> dict[str, Any]:
        assert self.first is not None
        last = self.last or self._usage()
        seen = window(self.first, last, self.order.setting.workers, self.order.cores)
        span = self.stamps[-1] - self.stamps[self.first_at - 1]
        shares = self._wait_blocks()
        return {
            "wait_share": min(1.0, sum(self.waits[self.first_at :]) / span) if span > 0 else None,
            "wait_blocks": shares,
            "main_cpu_s": max(0.0, seen.main_s - (self.consumer.cpu_s - self.step_cpu)) / counted,
            "worker_cpu_s": None if seen.workers_s is None else seen.workers_s / counted,
            "own_cores": seen.own_cores,
            "foreign": seen.foreign_cores,
            "queued": seen.queued_share,
            "impact": seen.impact,
        }

    def _wait_blocks(self) -> list[float]:
        """Return the share of waiting in each of some blocks of the run."""
        waits, stamps = self.waits[self.first_at :], self.stamps[self.first_at - 1 :]
        blocks = min(8, len(waits) // 2)
        if blocks < 2:
            return []
        edges = [round(i * len(waits) / blocks) for i in range(blocks + 1)]
        return [min(1.0, sum(waits[a:b]) / max(stamps[b] - stamps[a], 1e-9)) for a, b in pairwise(edges)]
