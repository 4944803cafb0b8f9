"""What one process of the loader (main or worker) knows while it reads samples.

The watch of a process is made on first use in that process, so that a fork does not go on with
the counters of its parent and a spawned worker needs nothing but the picklable `WatchConfig`.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.board import Board, Note
from dldoctor.probes.glance import Glance, Layout, glance
from dldoctor.probes.look import Look, extent, is_remarkable, look, one_thread
from dldoctor.probes.overwritten import FirstBatch, Overwritten

LOOKED_AT_FIRST = 32
"""Samples of each process whose values are looked at whatever that costs."""
LOOK_SHARE = 0.01
"""Share of the process's CPU time that looking may take after that."""
PENDING_KEPT = 4096
SAMPLES_HELD = 512
"""Samples that wait to be looked at together; a batch of more is looked at in parts."""


@dataclass(frozen=True)
class WatchConfig:
    """What a process must know to watch; travels to spawned workers by pickle."""

    staging: str
    token: str
    """Tells one run of a loader from another in the same process."""
    previews: int = 3
    """How many samples of worker 0 (or of the main process) to describe in full."""


@dataclass
class SampleNote:
    """One sample as it came out of the dataset; waits here until its batch is collated."""

    id: Any
    """Index, or text of an index that is not a number; for streams the ordinal."""
    elapsed_ns: int
    glance: Glance | None
    looks: tuple[Look | None, ...] | None
    ends: tuple[tuple[float, float] | None, ...] | None = None
    """Least and greatest element of each leaf, where the values were not looked at further."""
    failure: dict[str, Any] | None = None


class Watch:
    """Counters and notes of one process."""

    def __init__(self, config: WatchConfig) -> None:
        """Start watching in this process."""
        self.config = config
        self.pid = os.getpid()
        info = _worker_info()
        self.worker = -1 if info is None else int(info.id)
        self.board = Board(os.path.join(config.staging, "board"))
        if info is not None:
            alarm.arm(config.staging)
            alarm_die_with_parent()
        self.pending: list[SampleNote] = []
        self._held: list[tuple[Any, Any, int]] = []
        self.layouts: dict[Layout, int] = {}
        self.new_layouts: dict[int, Layout] = {}
        self.read = 0
        self.batches = 0
        self.own_ns = 0
        self.looked = 0
        self._look_ns = 0
        self.cpu_start_ns = time.process_time_ns()
        self.archives: set[str] = set()
        self.new_archives: list[str] = []
        self.overwritten: tuple[Overwritten, ...] = ()
        self._first = FirstBatch()
        self.substitutions: list[tuple[Any, Any, str | None, Any]] = []
        self.described: list[Any] = []
        _listen_for_archives()

    def note(self, stage: str, sample: object = "") -> None:
        """Write on the board what this process is at."""
        self.board.write(
            self.worker + 1,
            Note(self.pid, self.read, self.batches, time.monotonic_ns(), stage, str(sample)),
        )

    def take(self, sample_id: Any, sample: Any, elapsed_ns: int) -> None:
        """Keep a sample until its batch is collated; the loader holds it as long.

        Samples of a batch are looked at one after another, by `settle`: what we need is in no cache
        after the user's own work on a sample, and a first look costs ten times a second one (measured:
        110 against 8 us for a photograph's shape). Until a first batch came, nobody may ever collate.
        """
        self.read += 1
        self._held.append((sample_id, sample, elapsed_ns))
        if not self.batches or len(self._held) >= SAMPLES_HELD:
            self.settle()

    def before_collate(self) -> None:
        """Look at what a collate is about to get, before it can change it."""
        self.settle()
        if self.batches:
            return
        start = time.thread_time_ns()
        with one_thread():
            self.overwritten = self._first.take()
        self.own_ns += time.thread_time_ns() - start

    def settle(self) -> None:
        """Note what the samples look like that are held.

        A fault of ours here must not come out of the user's loader as if it were theirs: it is
        left in a file, which the parent reports as what it is.
        """
        start = time.thread_time_ns()
        held, self._held = self._held, []
        allowed = self._looks_allowed()
        try:
            with one_thread():
                for position, (sample_id, sample, elapsed_ns) in enumerate(held):
                    self._take(sample_id, sample, elapsed_ns, in_full=position < allowed)
        except Exception:  # noqa: BLE001 - see above
            with open(os.path.join(self.config.staging, "fault"), "a", encoding="utf-8") as file:
                file.write(traceback.format_exc())
        self.own_ns += time.thread_time_ns() - start

    def _take(self, sample_id: Any, sample: Any, elapsed_ns: int, *, in_full: bool) -> None:
        seen, objects = glance(sample)
        number = self.layouts.get(seen.layout)
        if number is None:
            number = self.layouts[seen.layout] = len(self.layouts)
            self.new_layouts[number] = seen.layout
        looks, ends = None, None
        if in_full:
            looks = self._look(objects)
            if not self.batches:
                self._first.keep(sample_id, seen, objects, looks)
        else:
            ends = tuple(
                None if value is not None else extent(leaf)
                for leaf, value in zip(objects, seen.values, strict=True)
            )
            if any(is_remarkable(leaf, one) for leaf, one in zip(objects, ends, strict=True)):
                looks = tuple(look(leaf) for leaf in objects)
        if len(self.described) < self.config.previews and self.worker <= 0 and self.read <= 64:
            from dldoctor.probes.preview import preview

            self.described.append((sample_id, preview(seen, objects, looks)))
        if len(self.pending) < PENDING_KEPT:
            self.pending.append(SampleNote(sample_id, elapsed_ns, seen, looks, ends))

    def _look(self, objects: list[Any]) -> tuple[Look | None, ...]:
        start = time.thread_time_ns()
        looks = tuple(look(leaf) for leaf in objects)
        self._look_ns += time.thread_time_ns() - start
        self.looked += 1
        return looks

    def fail(self, sample_id: Any, failure: dict[str, Any], elapsed_ns: int) -> None:
        """Keep that a sample raised."""
        self.settle()  # in the order in which they came
        self.pending.append(SampleNote(sample_id, elapsed_ns, None, None, failure=failure))

    def cpu_ns(self) -> int:
        """CPU time of this process since the watch began."""
        return time.process_time_ns() - self.cpu_start_ns

    def _looks_allowed(self) -> int:
        """Return how many of the next samples may be looked at in full."""
        if self.looked < LOOKED_AT_FIRST:
            return LOOKED_AT_FIRST - self.looked
        spare_ns = LOOK_SHARE * self.cpu_ns() - self.own_ns
        return max(0, int(spare_ns * self.looked / max(1, self._look_ns)))


_watches: dict[str, Watch] = {}


def watch_of(config: WatchConfig) -> Watch:
    """Return this process's watch for the run of `config`."""
    watch = _watches.get(config.token)
    if watch is None or watch.pid != os.getpid():
        watch = _watches[config.token] = Watch(config)
    return watch


def _worker_info() -> Any:
    torch_data = sys.modules.get("torch.utils.data")
    return None if torch_data is None else torch_data.get_worker_info()


def alarm_die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends, where it can (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


_ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_listening: list[bool] = []


def _listen_for_archives() -> None:
    # An audit hook cannot be removed, which is why only a process made for a probe has one.
    if _listening:
        return
    _listening.append(True)
    sys.addaudithook(_on_audit)


def _on_audit(event: str, args: tuple[Any, ...]) -> None:
    if event != "open" or not args or not isinstance(args[0], (str, os.PathLike)):
        return
    path = os.fspath(args[0])
    if not isinstance(path, str) or not path.endswith(_ARCHIVE_ENDINGS):
        return
    mode = args[1] if len(args) > 1 else None
    if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
        return
    full = os.path.abspath(path)
    for watch in _watches.values():
        if watch.pid == os.getpid() and full not in watch.archives:
            watch.archives.add(full)
            watch.new_archives.append(full)
