"""What one process notes about itself at batch boundaries, at a bounded cost.

Each process appends to a file of its own, which outlives it. Nothing travels with the batches, so
that what is watched is the loader as it is.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.board import Board, Note
from dldoctor.foreign import attribute
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.containers import Roots, lengths
from dldoctor.probes.memory.control import CLOSING, RUNNING, TRIM, Control
from dldoctor.probes.memory.descriptors import KEPT
from dldoctor.probes.watch import alarm_die_with_parent

CHEAP_SHARE, NAMES_SHARE, FULL_SHARE = 0.003, 0.002, 0.003
"""Shares of the process's CPU time that each kind of point may take: 1% together, with a margin."""
SPACING = 1.15
"""A cheap point is taken, whatever it costs, this much later in the epoch than the one before: five
for each time that the epoch doubles, so that its last half, which decides, is never without."""
EXPECTED_NAMES_NS, EXPECTED_FULL_NS = 1_000_000, 10_000_000
"""What a look is taken to cost before there was one."""
NOTE_EVERY_NS = 1_000_000


@dataclass(frozen=True)
class MemoryConfig:
    """What a process must know to watch itself; travels to spawned workers by pickle."""

    staging: str
    token: str
    """Tells one run from another; part of the names of its files."""
    resets: bool = False
    """Workers end with their epoch, so that each life of theirs is one."""
    copies: bool = True
    """The dataset holds Python objects, whose pages may be copied on write."""

    @property
    def control(self) -> str:
        """Path of the shared page."""
        return os.path.join(self.staging, f"memory-{self.token}.control")

    def points(self, worker: int, pid: int) -> str:
        """Return the path of the notes of one process."""
        return os.path.join(self.staging, f"memory-{self.token}-{worker}-{pid}.points")

    def watched(self) -> set[int]:
        """Return the processes that watch themselves."""
        ours = [name for name in os.listdir(self.staging) if name.startswith(f"memory-{self.token}-")]
        return {int(name.removesuffix(".points").rpartition("-")[2]) for name in ours}


class Budget:
    """A share of the CPU time of a process that one kind of look may take."""

    def __init__(self, share: float, expected_ns: int) -> None:
        """Allow `share`; a look is taken to cost `expected_ns` until one was taken."""
        self._share = share
        self.taken_ns = 0
        self.last_ns = expected_ns

    def allows(self, spent_ns: int) -> bool:
        """Whether one more look, at what the last one cost, stays within the share."""
        return self.taken_ns + self.last_ns <= self._share * spent_ns

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Count what the look inside costs."""
        start = time.thread_time_ns()
        yield
        self.last_ns = time.thread_time_ns() - start
        self.taken_ns += self.last_ns


class ProcessWatch:
    """The notes of one process."""

    def __init__(self, config: MemoryConfig, roots: Roots) -> None:
        """Start watching in this process."""
        self.pid = os.getpid()
        self.reader = counters.reader()
        self._roots, self._config = roots, config
        info = _worker_info()
        self.worker = -1 if info is None else int(info.id)
        if info is not None:
            alarm.arm(config.staging)
            alarm_die_with_parent()
        self._board = Board(os.path.join(config.staging, "board"))
        self._control = Control(config.control)
        self._file = os.open(
            config.points(self.worker, self.pid), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        self.batches = self.samples = self._read = 0
        self._resets, self._copies = config.resets, config.copies
        self._epoch, self._in_epoch, self._due_at = -1, 0, 0.0
        self._cheap = Budget(CHEAP_SHARE, 0)
        self._names = Budget(NAMES_SHARE, EXPECTED_NAMES_NS)
        self._full = Budget(FULL_SHARE, self._control.full_cost_ns() or EXPECTED_FULL_NS)
        self._cpu_start_ns = time.process_time_ns()
        self._noted_ns = 0
        self._trimmed = self._closed = False
        self._lengths: dict[str, tuple[str, int]] = {}

    def note(self, stage: str, sample: object = "", *, always: bool = False) -> None:
        """Write on the board what this process is at, at most a thousand times a second."""
        now = time.monotonic_ns()
        if always or now - self._noted_ns >= NOTE_EVERY_NS:
            self._noted_ns = now
            note = Note(self.pid, self._read, self.batches, now, stage, str(sample))
            self._board.write(self.worker + 1, note)

    def sample(self, stage: str, index: object) -> None:
        """Note that a sample is about to be read."""
        self._read += 1
        self.note(stage, index)

    def boundary(self, samples: int) -> None:
        """Note that a batch is finished, and look at the counters where that is due."""
        self.batches += 1
        self.samples += samples
        epoch, told, since = self._control.heard()
        if epoch != self._epoch:
            self._epoch, self._in_epoch, self._due_at, self._closed = epoch, 0, 0.0, False
        self._in_epoch += 1
        spent = time.process_time_ns() - self._cpu_start_ns
        state = told if self._in_epoch >= since else RUNNING
        closes = state >= CLOSING and not self._closed
        self._closed = self._closed or closes
        if self._full_due(state, spent, closes=closes):
            self._look_fully()
        elif self._names_due(closes=closes) or self._names.allows(spent):
            with self._names.taking():
                self._write("names", [*self.reader.cheap()], self._by_name())
        elif self._in_epoch >= self._due_at or self._cheap.allows(spent):
            self._look_cheaply("cheap")
        if state == TRIM and not self._trimmed:
            self._trimmed = True
            gc.collect()
            give_back()
            self._look_cheaply("trimmed")

    def _full_due(self, state: int, spent: int, *, closes: bool) -> bool:
        """Whether private memory is read: where the verdict needs it, else where the budget allows.

        The last look tells the footprint; with the first one of a worker, what was copied on write.
        """
        worker = self.worker >= 0
        first = worker and self._copies and self._epoch == 0 and self._in_epoch == 1
        last = closes and (self._epoch == 0 if worker and self._resets else state == TRIM)
        return first or last or self._full.allows(spent)

    def finish(self) -> None:
        """Look once more where no look was close enough: the data ended before that was told."""
        if not self._full.taken_ns:
            self._look_fully()

    def _names_due(self, *, closes: bool) -> bool:
        """Whether containers and descriptors are looked at, whatever it costs.

        Two looks in the second turn are needed, which is a part of the epoch where workers end with it:
        a power of two lies in the last half of whatever length.
        """
        at = self._in_epoch
        return closes or at == 1 or (self._resets and at & (at - 1) == 0)

    def _look_cheaply(self, kind: str) -> None:
        with self._cheap.taking():
            self._write(kind, [*self.reader.cheap()])

    def _look_fully(self) -> None:
        with self._names.taking():
            named = self._by_name()
        with self._full.taking():
            self._write("full", [*self.reader.cheap(), *self.reader.full()], named)
        self._control.tell_full_cost(self._full.last_ns)

    def _by_name(self) -> dict[str, Any]:
        """Return what has a name: containers that changed, descriptors, segments, and the children."""
        found = lengths(self._roots)
        grown = {path: one for path, one in found.items() if self._lengths.get(path) != one}
        self._lengths = found
        opened, segments = self.reader.census()
        return {
            "grown": grown,
            "open": [[*key, count] for key, count in opened.most_common(KEPT)],
            "segments": sorted(segments)[:64],
            "children": [*self.reader.children(self._config.watched())],
        }

    def _write(self, kind: str, values: list[int], extra: dict[str, Any] | None = None) -> None:
        self._due_at = SPACING * self._in_epoch
        own = self._cheap.taken_ns + self._names.taken_ns + self._full.taken_ns
        line = {
            "kind": kind, "epoch": self._epoch, "batch": self.batches, "samples": self.samples,
            "in_epoch": self._in_epoch, "at_ns": time.perf_counter_ns(), "values": values,
            "own_ns": own, "cpu_ns": time.process_time_ns() - self._cpu_start_ns,
            **(extra or {}),
        }  # fmt: skip
        os.write(self._file, json.dumps(line).encode("ascii") + b"\n")


_watches: dict[str, ProcessWatch] = {}


def watch_of(config: MemoryConfig, roots: Roots) -> ProcessWatch:
    """Return this process's watch for the run of `config`."""
    watch = _watches.get(config.token)
    if watch is None or watch.pid != os.getpid():
        watch = _watches[config.token] = ProcessWatch(config, roots)
    return watch


def give_back() -> None:
    """Ask the C allocator to return free memory to the system, where it can be asked (glibc)."""
    if sys.platform != "linux":
        return
    import ctypes

    trim = attribute(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _worker_info() -> Any:
    torch_data = sys.modules.get("torch.utils.data")
    return None if torch_data is None else torch_data.get_worker_info()
