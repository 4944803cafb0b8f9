"""Starts the child, follows it, and survives whatever happens there."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
import psutil

from dldoctor.child import processes
from dldoctor.child.board import Board, Note, board_path
from dldoctor.child.events import Gathered
from dldoctor.child.later_probes import leave_barren, leave_deadly
from dldoctor.child.launch import Child, Launcher
from dldoctor.child.post_mortem import death, out_of_memory_kills, work_at
from dldoctor.child.request import ChildRequest
from dldoctor.child.stacks import collect, holding_frame
from dldoctor.child.staging import printed, staging, trim_printed
from dldoctor.evidence.outcome import Hang, WorkAt

POLL_S = 0.1
RSS_EVERY_S = 0.25
DEFAULT_TIMEOUT_S = 60.0
SLOWEST_TIMES = 20.0
"""A deadline is never below this many times the slowest batch so far."""
GRACE_S = 3.0
"""Time that an interrupted probe gets to send what it has."""

OnProgress = Callable[[dict[str, Any]], None]


def supervise(
    make_request: Callable[[Path, int], ChildRequest], launcher: Launcher, on_progress: OnProgress
) -> Gathered:
    """Run the child to its end and return what it sent and how it went."""
    with staging() as folder:
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        mark = uuid.uuid4().hex
        board = Board(board_path(folder))
        request = make_request(folder, write_end)
        (folder / "request.json").write_text(json.dumps(asdict(request)), encoding="utf-8")
        watcher = _Watcher(request, folder, board, mark, on_progress)
        child: Child | None = None
        try:
            child = launcher(request, folder, mark)
            os.close(write_end)
            write_end = -1
            watcher.follow(child, read_end)
        finally:
            if write_end >= 0:
                os.close(write_end)
            watcher.clean_up(child)
            os.close(read_end)
            board.close()
        found = watcher.found
        found.printed, found.printed_lines = printed(folder / "printed")
        if found.fault is None and (folder / "fault").exists():
            found.fault = (folder / "fault").read_text(encoding="utf-8")[:8000]
        return found


class _Watcher:
    """One run, from the start of the child to its end."""

    def __init__(
        self, request: ChildRequest, folder: Path, board: Board, mark: str, on_progress: OnProgress
    ) -> None:
        self.request = request
        self.folder = folder
        self.board = board
        self.mark = mark
        self.on_progress = on_progress
        self.found = Gathered()
        self.rss: dict[int, int] = {}
        self.pids: set[int] = set()
        self.slowest_batch_s = 0.0
        self._last_notes: dict[int, Note] = {}
        self._moved_at = time.monotonic()
        self._rss_at = 0.0
        self._oom_before = out_of_memory_kills()
        self._stop_at: float | None = None
        self._killed_phase: str | None = None
        self._pending = b""
        self._phase_ends_at: float | None = None
        self._early: set[int] = set()
        """Forks of probes whose turn has not come, as far as we were told."""

    def follow(self, child: Child, pipe: int) -> None:
        """Read events and watch for hangs until the child is gone."""
        while True:
            try:
                ready, _, _ = select.select([pipe], [], [], POLL_S)
                if ready:
                    self._read(pipe)
                self._look(child)
                code = child.poll()
                if code is not None:
                    self._read(pipe)
                    self._judge_end(child, code)
                    return
                if self._stop_at is not None and time.monotonic() > self._stop_at:
                    return
            except KeyboardInterrupt:
                self._interrupt()

    def _interrupt(self) -> None:
        if self._stop_at is not None:  # a second Ctrl-C: at once
            self._stop_at = 0.0
            return
        self.found.interrupted = True
        self._stop_at = time.monotonic() + GRACE_S
        if self.found.phase_pid is not None:
            processes.ask_to_stop(self.found.phase_pid)
        else:
            self._stop_at = 0.0

    def _read(self, pipe: int) -> None:
        while True:
            try:
                data = os.read(pipe, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                return
            *lines, self._pending = (self._pending + data).split(b"\n")
            for line in lines:
                self._take(msgspec.json.decode(line))

    def _take(self, event: dict[str, Any]) -> None:
        self._moved_at = time.monotonic()
        kind = event["kind"]
        if kind == "progress":
            self.slowest_batch_s = max(self.slowest_batch_s, event.get("slowest_batch_s") or 0.0)
            self.on_progress(event)
        elif kind == "death":
            self._worker_died(event)
        elif kind == "early":
            self._early.add(event["pid"])
        elif kind == "phase":
            after = event.pop("stop_after_s", None)
            self._phase_ends_at = None if after is None else time.monotonic() + after
            self.found.take(event)
            self.on_progress({"phase": self.found.phase})
            if self.found.interrupted and self.found.phase_pid is not None:
                processes.ask_to_stop(self.found.phase_pid)
        elif kind == "phase-end":
            self._phase_ends_at = None
            self._phase_ended(event["name"], event["code"])
        else:
            self.found.take(event)

    def _look(self, child: Child) -> None:
        now = time.monotonic()
        notes = self.board.read()
        if notes != self._last_notes:
            self._last_notes = {**self._last_notes, **notes}
            self._moved_at = now
        self.pids |= {note.pid for note in notes.values()} | {child.pid}
        if now - self._rss_at >= RSS_EVERY_S:
            self._rss_at = now
            trim_printed(self.folder / "printed")
            for note in notes.values():
                with contextlib.suppress(psutil.Error):
                    rss = psutil.Process(note.pid).memory_info().rss
                    if rss:  # a zombie holds nothing any more
                        self.rss[note.pid] = rss
        if self._phase_ends_at is not None and now > self._phase_ends_at:
            self._phase_ends_at = None
            self.found.left_out[self.found.phase] = "it took longer than its part of the time budget"
            self._end_phase(child)
        deadline = self.deadline_s()
        if now - self._moved_at > deadline and self._stop_at is None:
            self._hang(child, now - self._moved_at, deadline)

    def deadline_s(self) -> float:
        """Return how long nothing may move."""
        declared = self.request.limits.timeout_s
        if declared is not None and self._importing():
            return max(declared, DEFAULT_TIMEOUT_S)
        return max(DEFAULT_TIMEOUT_S, SLOWEST_TIMES * self.slowest_batch_s) if declared is None else declared

    def _importing(self) -> bool:
        """Whether a process may be importing torch or the target, which moves nothing that we see."""
        if self.found.phase in ("starting", "import"):
            return True
        loader = self.found.branches.get("loader")
        fresh = (
            loader is not None and loader.num_workers > 0 and loader.start_method in ("spawn", "forkserver")
        )
        return fresh and not any(slot > 0 for slot in self._last_notes)

    def _works(self) -> list[WorkAt]:
        living = {slot: note for slot, note in self._last_notes.items() if psutil.pid_exists(note.pid)}
        return [work_at(slot, note, self.rss.get(note.pid)) for slot, note in sorted(living.items())]

    def _hang(self, child: Child, waited_s: float, deadline_s: float) -> None:
        works = self._works()
        stacks, moving = collect(self.folder, works)
        fresh = self.board.read()
        if fresh != self._last_notes and any(self._last_notes.get(s) != n for s, n in fresh.items()):
            self._moved_at = time.monotonic()  # it came back while we looked
            return
        self.found.hangs.append(
            Hang(
                phase=self.found.phase,
                waited_s=round(waited_s, 1),
                deadline_s=deadline_s,
                stacks=stacks,
                where=holding_frame(stacks),
                samples_read=sum(note.samples for note in self._last_notes.values()),
                moving=moving,
            )
        )
        leave_deadly(self.folder, works)
        loader = self.found.branches.get("loader")
        if self.found.phase == self.request.probes[0] and loader is not None and loader.kind != "map":
            leave_barren(self.folder, self.found.hangs[-1])
        self._end_phase(child)

    def _end_phase(self, child: Child) -> None:
        """Kill the probe that hangs and what it started; the holder goes on with the next one."""
        self._killed_phase = self.found.phase
        keep = {child.pid} if self.found.phase_pid not in (None, child.pid) else set()
        for pid in self._early - {self.found.phase_pid}:
            keep |= processes.family(pid)
        processes.end(p for p in processes.members(child.session, self.mark) if p.pid not in keep)
        self._moved_at = time.monotonic()

    def _worker_died(self, event: dict[str, Any]) -> None:
        slot = event["worker"] + 1
        note = self.board.read().get(slot) or self._last_notes.get(slot)
        note = note or Note(event["pid"], 0, 0, 0, "start", "")
        at = replace(work_at(slot, note, self.rss.get(note.pid)), pid=event["pid"])
        self._add_death(at, event["code"])

    def _add_death(self, at: WorkAt, code: int) -> None:
        from dldoctor.machine import memory_limit_bytes

        declared = self.request.limits.memory_limit_bytes
        self.found.deaths.append(
            death(
                at,
                code,
                self.found.phase,
                self.folder,
                out_of_memory=code == -signal.SIGKILL and out_of_memory_kills() > self._oom_before,
                limit_bytes=declared if declared is not None else memory_limit_bytes(),
            )
        )

    def _phase_ended(self, name: str, code: int) -> None:
        faulty = self.found.fault is not None or name in self.found.probe_faults
        known = name in self.found.finished or self._killed_phase == name or faulty
        if not known and self._stop_at is None:
            note = self.board.read().get(0) or Note(self.found.phase_pid or 0, 0, 0, 0, "start", "")
            pid = self.found.phase_pid or note.pid
            self._add_death(replace(work_at(0, note, self.rss.get(pid)), pid=pid), code)
        self.board.clear()
        self._last_notes = {}
        # A later probe must not take what this one left for the leavings of another program.
        processes.remove_shared_memory({pid for pid in self.pids if not psutil.pid_exists(pid)})

    def _judge_end(self, child: Child, code: int) -> None:
        """The holder itself is gone: while importing the target, or after it was done."""
        found = self.found
        if found.done or found.refusal or found.fault or self._stop_at is not None or found.hangs:
            return
        note = self.board.read().get(0) or Note(child.pid, 0, 0, 0, "import", "")
        self._add_death(replace(work_at(0, note, self.rss.get(child.pid)), pid=child.pid), code)

    def clean_up(self, child: Child | None) -> None:
        """End every process of the run and remove what they left."""
        session = child.session if child is not None else None
        left = processes.members(session, self.mark)
        if left:
            self.pids |= {process.pid for process in left}
            processes.end(left)
        if child is not None:
            child.wait()
        processes.remove_shared_memory(self.pids)
