"""What each sample and batch costs in one process: CPU time and blocked time, read twice."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dldoctor.child.session import Session
from dldoctor.foreign import attribute, has
from dldoctor.probes.sweep.run import STOP_FILE
from dldoctor.probes.sweep.setting import Again, apply, never_end
from dldoctor.sweep.model import Setting
from dldoctor.sweep.profile import samples_wanted, variation
from dldoctor.targets import Pipeline

PILOT = 32
LEAST_BATCHES = 3


@dataclass
class Clock:
    """Splits the time of a piece of work into CPU, waiting for a core, and blocked."""

    descriptor: int | None = None
    started: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    threads_cpu_s: float = 0.0
    thread_cpu_s: float = 0.0

    def __post_init__(self) -> None:
        try:
            # Kept open: opening it each time would cost more than many samples do.
            path = f"/proc/self/task/{threading.get_native_id()}/schedstat"
            self.descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            self.descriptor = None

    def start(self) -> None:
        """Begin a piece."""
        self.started = (time.perf_counter(), time.process_time(), time.thread_time(), self._queued())

    def stop(self) -> tuple[float, float]:
        """Return CPU seconds and blocked seconds of the piece."""
        wall, cpu, own, queued = self.started
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.threads_cpu_s += cpu
        self.thread_cpu_s += time.thread_time() - own
        return cpu, max(0.0, wall - min(cpu, wall) - (self._queued() - queued))

    def _queued(self) -> float:
        if self.descriptor is None:
            return 0.0
        return int(os.pread(self.descriptor, 64, 0).split()[1]) / 1e9


@dataclass
class Costs:
    """What one pass found; plain values when it is sent."""

    samples: list[tuple[float, float]] = field(default_factory=list)
    collate: list[tuple[float, float]] = field(default_factory=list)
    batches: list[tuple[float, float]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    batch_bytes: list[int] = field(default_factory=list)
    tensor_bytes: list[int] = field(default_factory=list)
    storages: list[int] = field(default_factory=list)
    failed: int = 0
    error: str = ""
    threads: float = 1.0
    read: int = 0


def measure_costs(
    pipeline: Pipeline, session: Session, seconds: float, most: int | None = None
) -> dict[str, Any]:
    """Read batches in this process and return their costs; called in a fork.

    `most` limits the batches, so that a second pass in another fork reads just the same ones.
    """
    import torch

    # As in a worker; the main process of the user's program may use more.
    torch.set_num_threads(1)
    apply(pipeline, Setting(0, 0))
    costs, clock = Costs(), Clock()
    deadline = time.perf_counter() + seconds
    source = _map_batches(pipeline, session, costs, clock) if _by_index(pipeline) else None
    if source is None:
        never_end(pipeline)
        source = _whole_batches(pipeline, session, costs, clock)
    for number, batch in enumerate(source, 1):
        costs.read = number
        _weigh(batch, costs)
        session.progress(batches=number)
        if most is not None and number >= most:
            break
        if _enough(costs, number, deadline) or os.path.exists(os.path.join(session.staging, STOP_FILE)):
            break
    costs.threads = clock.threads_cpu_s / clock.thread_cpu_s if clock.thread_cpu_s > 0.01 else 1.0
    return vars(costs)


def _by_index(pipeline: Pipeline) -> bool:
    loader: Any = pipeline.torch_loader
    return pipeline.spec.kind == "map" and not callable(attribute(loader.dataset, "__getitems__", None))


def _enough(costs: Costs, number: int, deadline: float) -> bool:
    now = time.perf_counter()
    values = costs.samples or costs.batches
    if number < LEAST_BATCHES:
        return now > deadline + 2.0 and number >= 1
    if now > deadline:
        return True
    if len(values) < PILOT:
        return False
    return len(values) >= samples_wanted(variation([cpu + wait for cpu, wait in values]), least=128)


def _map_batches(pipeline: Pipeline, session: Session, costs: Costs, clock: Clock) -> Iterator[Any]:
    """Fetch batches as torch's own fetcher does, with a look at the clock around each sample."""
    loader: Any = pipeline.torch_loader
    dataset, collate = loader.dataset, loader.collate_fn
    whole = loader.batch_sampler is not None
    for drawn in Again(loader.batch_sampler if whole else loader.sampler):
        samples = []
        for index in drawn if whole else [drawn]:
            session.note("getitem", str(index)[:64])
            clock.start()
            try:
                samples.append(dataset[index])
            except Exception as error:  # noqa: BLE001 - the user's own; told by the command that reads all
                costs.failed += 1
                costs.error = f"{type(error).__name__}: {error}"[:200]
                if costs.failed >= PILOT and not costs.samples:
                    return
                continue
            costs.samples.append(clock.stop())
        if not samples:
            continue
        costs.sizes.append(len(samples))
        session.note("collate")
        clock.start()
        try:
            batch = collate(samples if whole else samples[0])
        except Exception as error:  # noqa: BLE001 - the user's own
            costs.failed += 1
            costs.error = f"{type(error).__name__}: {error}"[:200]
            if costs.failed >= PILOT and not costs.collate:
                return
            continue
        costs.collate.append(clock.stop())
        yield batch


def _whole_batches(pipeline: Pipeline, session: Session, costs: Costs, clock: Clock) -> Iterator[Any]:
    """Take whole batches from the loader itself, where samples cannot be told apart from outside."""
    iterator = iter(pipeline.loader)
    while True:
        session.note("next")
        clock.start()
        try:
            batch = next(iterator)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001 - the user's own
            costs.failed += 1
            costs.error = f"{type(error).__name__}: {error}"[:200]
            if costs.failed >= PILOT:
                return
            continue
        costs.batches.append(clock.stop())
        yield batch


def _weigh(batch: Any, costs: Costs) -> None:
    total, tensors, storages = weight(batch)
    costs.batch_bytes.append(total)
    costs.tensor_bytes.append(tensors)
    costs.storages.append(storages)


def weight(value: Any, depth: int = 5) -> tuple[int, int, int]:
    """Return the bytes of a batch, those in tensors, and how many tensors there are."""
    if has(type(value), "element_size") and has(type(value), "numel"):
        size = int(value.element_size() * value.numel())
        return size, size, 1
    if has(type(value), "nbytes"):
        size = attribute(value, "nbytes")
        return size if isinstance(size, int) else 0, 0, 0
    if isinstance(value, (str, bytes)):
        return len(value), 0, 0
    items = list(value.values()) if isinstance(value, dict) else value
    if depth and isinstance(items, (list, tuple)):
        parts = [weight(item, depth - 1) for item in items]
        return sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)
    return 0, 0, 0
