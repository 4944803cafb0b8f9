"""What one process of the loader knows about its own time until its next batch is collated."""

from __future__ import annotations

import marshal
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.board import Board, Note
from dldoctor.probes.frames import shown_path
from dldoctor.probes.profile.calibrate import calibrate
from dldoctor.probes.profile.entry_points import EntryPoints
from dldoctor.probes.profile.install import Instrumented
from dldoctor.probes.profile.spans import Spent
from dldoctor.probes.profile.tracer import Tracer
from dldoctor.probes.profile.worker_record import Group, KeyName
from dldoctor.probes.watch import alarm_die_with_parent

OWN_SHARE = 0.012
"""Share of a sample's time that timers may take; above it functions with many of them get fewer."""
THREADS_EVERY = 4
"""At the first batch, and at each so-many-th after it, the threads of the process are looked at."""


@dataclass(frozen=True)
class ProfileConfig:
    """What a process must know; travels to spawned workers by pickle."""

    staging: str
    token: str
    timers: bool = True
    """Put timers into the user's functions."""
    files: tuple[str, ...] = ()
    """Source files whose functions get them."""


class Bench:
    """The tracer of this process, and what waits for the next record."""

    def __init__(self, config: ProfileConfig) -> None:
        """Put timers in place."""
        self.config = config
        self.tracer = Tracer()
        self.mark_ns, self.reading_ns = calibrate(self.tracer)
        self.instrumented = Instrumented(self.tracer, config.files) if config.timers else None
        self.entry_points = EntryPoints(self.tracer) if config.timers else None
        self._settle()

    def _settle(self) -> None:
        self.pid = os.getpid()
        info = sys.modules["torch.utils.data"].get_worker_info()
        self.worker = -1 if info is None else int(info.id)
        self.board = Board(os.path.join(self.config.staging, "board"))
        if info is not None:
            alarm.arm(self.config.staging)
            alarm_die_with_parent()
        self.groups: list[Group] = []
        self.read = self.batches = 0
        self.packing_ns = 0
        self._named: dict[int, str | None] = {}
        self._threads: dict[str, tuple[int, int]] = {}
        self._threads_at = time.perf_counter_ns()
        self._io = -1
        self.files = 0
        _count_files(self)

    def fresh(self) -> Bench:
        """Return this bench, without its parent's counters after a fork."""
        if self.pid != os.getpid():
            self._settle()
        return self

    def note(self, stage: str, sample: object = "") -> None:
        """Write on the board what this process is at."""
        self.board.write(
            self.worker + 1, Note(self.pid, self.read, self.batches, time.monotonic_ns(), stage, str(sample))
        )

    def finish(self, ids: tuple[Any, ...], start: int, *, failed: bool = False) -> None:
        """Keep what samples took."""
        end, spent = self.tracer.end()
        before = time.thread_time_ns()
        pilot = self._thin_out(end - start, spent)
        self.groups.append(Group(ids, start, end, tuple(spent), pilot, failed, self.files))
        self.files = 0
        self.read += len(ids)
        if self.read in (1, 4, 16) and self.entry_points is not None:
            self.entry_points.look_again()
        self.packing_ns += time.thread_time_ns() - before

    def _thin_out(self, elapsed: int, spent: list[Spent]) -> bool:
        """Take timers out of the functions that have too many; return whether any lost some."""
        boundaries = sum(one.calls for one in spent)
        if self.instrumented is None or boundaries < 40 or boundaries * self.mark_ns < OWN_SHARE * elapsed:
            return False
        by_function: dict[int, tuple[int, int]] = {}
        for one in spent:
            owner = self.instrumented.function_of(one.key)
            if owner is not None:
                key, count = by_function.get(id(owner), (one.key, 0))
                by_function[id(owner)] = (key, count + one.calls)
        changed = False
        for key, count in sorted(by_function.values(), key=lambda pair: -pair[1]):
            if boundaries * self.mark_ns < OWN_SHARE * elapsed or count < 20:
                break
            changed = self.instrumented.downgrade(key, count) or changed
            boundaries -= count
        return changed

    def pack(self, start: int, end: int, collate: list[Spent], failure: str | None) -> bytes:
        """Return the record of a batch as bytes, which torch passes on untouched."""
        before = time.thread_time_ns()
        self.batches += 1
        opened, resized = self.entry_points.take() if self.entry_points else ([], [])
        instrumented = self.instrumented
        used = {one.key for group in self.groups for one in group.spent} | {one.key for one in collate}
        data = (
            self.worker,
            [(*group[:3], [tuple(one) for one in group.spent], *group[4:]) for group in self.groups],
            start,
            end,
            [tuple(one) for one in collate],
            failure,
            self._names(used),
            [tuple(one) for one in opened],
            [tuple(one) for one in resized],
            self._read_bytes(),
            (time.process_time_ns(), time.thread_time_ns()),
            self._cores_wanted(),
            self.own_ns(),
            list(instrumented.unseen.items()) if instrumented else [],
            list(instrumented.left_alone.items()) if instrumented else [],
            self.tracer.other_threads > 0,
        )
        packed = marshal.dumps(data)
        self.groups = []
        self.packing_ns += time.thread_time_ns() - before
        return packed

    def own_ns(self) -> int:
        """Return what observing cost in this process so far."""
        tracer = self.tracer
        return tracer.marks * self.mark_ns + tracer.readings * self.reading_ns + self.packing_ns

    def _names(self, used: set[int]) -> dict[int, tuple[str, str, int, str, str]]:
        found = {}
        stages = self.instrumented.resolver.stages if self.instrumented else {}
        for key in used:
            if key in self._named and self._named[key] == stages.get(key):
                continue
            self._named[key] = stages.get(key)
            name = self._name(key)
            if name is not None:
                found[key] = (name.name, name.path, name.line, name.text, name.stage)
        return found

    def _name(self, key: int) -> KeyName | None:
        if self.instrumented is None or self.entry_points is None:
            return None
        outer, entry = self.entry_points.names.get(key, (key, None))
        path, statement = self.instrumented.statements.get(outer, ("", None))
        if entry is not None:
            line = statement.line if statement else 0
            function = statement.function if statement else ""
            return KeyName(function, shown_path(path) if path else "", line, entry.shown, entry.stage)
        if statement is None:
            return None
        stage = self.instrumented.resolver.stages.get(key, "other")
        return KeyName(statement.function, shown_path(path), statement.line, statement.text, stage)

    def _read_bytes(self) -> tuple[int, int]:
        """Return bytes that this process read from the device, and bytes that it asked for."""
        try:
            if self._io < 0:
                self._io = os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
            words = os.pread(self._io, 512, 0).split()
            return int(words[words.index(b"read_bytes:") + 1]), int(words[words.index(b"rchar:") + 1])
        except (OSError, ValueError, IndexError):
            return 0, 0

    def _cores_wanted(self) -> tuple[int, int, int]:
        """Return for how long, since last asked, threads wanted a core, had none, and the time that passed."""
        if (self.batches - 1) % THREADS_EVERY:
            return 0, 0, 0
        now, found = time.perf_counter_ns(), dict[str, tuple[int, int]]()
        try:
            for thread in os.listdir("/proc/self/task"):
                with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                    fields = file.read().split()
                    found[thread] = (int(fields[0]), int(fields[1]))
        except (OSError, ValueError, IndexError):
            return 0, 0, 0
        before, self._threads = self._threads, found
        passed, self._threads_at = max(1, now - self._threads_at), now
        if not before:
            return 0, 0, 0
        ran = sum(times[0] - before.get(one, (0, 0))[0] for one, times in found.items())
        waited = sum(times[1] - before.get(one, (0, 0))[1] for one, times in found.items())
        return ran + waited, waited, passed


_benches: dict[str, Bench] = {}
_counting: list[Bench] = []


def bench_of(config: ProfileConfig) -> Bench:
    """Return this process's bench for the run of `config`."""
    bench = _benches.get(config.token)
    if bench is None:
        bench = _benches[config.token] = Bench(config)
    return bench.fresh()


def _count_files(bench: Bench) -> None:
    # An audit hook cannot be removed, which is why only a process made for a probe has one.
    if not _counting:
        sys.addaudithook(_on_audit)
    _counting[:] = [bench]


def _on_audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and args and isinstance(args[0], (str, bytes, os.PathLike)):
        bench = _counting[0]
        if bench.tracer.current() >= 0:
            bench.files += 1
