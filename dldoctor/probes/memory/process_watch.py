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
from dataclasses import dataclass
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.board import Board, Note
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.containers import Roots, lengths
from dldoctor.probes.memory.control import CLOSING, TRIM, Control
from dldoctor.probes.memory.descriptors import census, segments_seen
from dldoctor.probes.watch import alarm_die_with_parent

CHEAP_SHARE, FULL_SHARE = 0.003, 0.005
"""Shares of the process's CPU time that cheap and full points may take: 1% together, with a margin."""
SPACING = 1.08
"""A cheap point is taken, whatever it costs, this much later in the epoch than the one before: nine
for each time that the epoch doubles, so that its last half, which decides, is never without."""
FULL_AT = (1, 8)
"""Batches of each epoch, from 1, after which a full point is taken whatever it costs."""
NOTE_EVERY_NS = 1_000_000


@dataclass(frozen=True)
class MemoryConfig:
    """What a process must know to watch itself; travels to spawned workers by pickle."""

    staging: str
    token: str
    """Tells one run from another; part of the names of its files."""

    @property
    def control(self) -> str:
        """Path of the shared page."""
        return os.path.join(self.staging, f"memory-{self.token}.control")


class ProcessWatch:
    """The notes of one process."""

    def __init__(self, config: MemoryConfig, roots: Roots) -> None:
        """Start watching in this process."""
        self.pid = os.getpid()
        self._roots = roots
        info = _worker_info()
        self.worker = -1 if info is None else int(info.id)
        if info is not None:
            alarm.arm(config.staging)
            alarm_die_with_parent()
        self._board = Board(os.path.join(config.staging, "board"))
        self._control = Control(config.control)
        path = os.path.join(config.staging, f"memory-{config.token}-{self.worker}-{self.pid}.points")
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.batches = self.samples = self._read = 0
        self._epoch, self._in_epoch, self._due_at = -1, 0, 0.0
        self._cheap_ns = self._full_ns = 0
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
        epoch, state = self._control.heard()
        if epoch != self._epoch:
            self._epoch, self._in_epoch, self._due_at, self._closed = epoch, 0, 0.0, False
        self._in_epoch += 1
        spent = time.process_time_ns() - self._cpu_start_ns
        if self._full_due(state, spent):
            self._closed = self._closed or state >= CLOSING
            self._timed_full("full")
            if state == TRIM and not self._trimmed:
                self._trimmed = True
                self._trim()
        elif self._in_epoch >= self._due_at or self._cheap_ns <= CHEAP_SHARE * spent:
            self._take_cheap()

    def _full_due(self, state: int, spent: int) -> bool:
        closes = state >= CLOSING and not self._closed
        return self._in_epoch in FULL_AT or closes or self._full_ns <= FULL_SHARE * spent

    def _take_cheap(self) -> None:
        start = time.thread_time_ns()
        self._due_at = SPACING * self._in_epoch
        self._write("cheap", [*counters.cheap()])
        self._cheap_ns += time.thread_time_ns() - start

    def _timed_full(self, kind: str) -> None:
        start = time.thread_time_ns()
        self._due_at = SPACING * self._in_epoch
        extra: dict[str, Any] = {}
        found = lengths(self._roots)
        extra["grown"] = {path: one for path, one in found.items() if self._lengths.get(path) != one}
        self._lengths = found
        extra["open"] = [[*key, count] for key, count in census().most_common(24)]
        extra["segments"] = sorted(segments_seen())[:64]
        self._write(kind, [*counters.cheap(), *counters.full()], extra)
        self._full_ns += time.thread_time_ns() - start

    def _trim(self) -> None:
        """Give back what only the allocator or the garbage collector holds, and look again."""
        gc.collect()
        give_back()
        self._timed_full("trimmed")

    def _write(self, kind: str, values: list[int], extra: dict[str, Any] | None = None) -> None:
        line = {
            "kind": kind, "epoch": self._epoch, "batch": self.batches, "samples": self.samples,
            "in_epoch": self._in_epoch, "at_ns": time.perf_counter_ns(), "values": values,
            "own_ns": self._cheap_ns + self._full_ns, "cpu_ns": time.process_time_ns() - self._cpu_start_ns,
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

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _worker_info() -> Any:
    torch_data = sys.modules.get("torch.utils.data")
    return None if torch_data is None else torch_data.get_worker_info()
