"""Reads the stacks that fault handlers wrote, and finds the user's frame in them."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from dldoctor.child.alarm import STACK_SIGNAL
from dldoctor.evidence.outcome import Stack, WorkAt
from dldoctor.finding import SourceRef
from dldoctor.probes.frames import is_first_party, shown_path

_THREAD = re.compile(r"^(?:Current thread|Thread) (0x[0-9a-f]+)(?: \[([^\]]*)\])?.*:$")
_FRAME = re.compile(r'^  File "(.*)", line (\d+|\?\?\?) in (.+)$')
_FRAMES_KEPT = 30
_THREADS_KEPT = 8


@dataclass(frozen=True)
class Thread:
    """One thread as a fault handler wrote it."""

    name: str
    frames: tuple[SourceRef, ...]
    """Innermost first."""


def parse(text: str) -> list[Thread]:
    """Return the threads of the last dump in `text`."""
    threads: list[Thread] = []
    name, frames = "", list[SourceRef]()
    for line in text.splitlines():
        head = _THREAD.match(line)
        if head:
            if frames:
                threads.append(Thread(name, tuple(frames)))
            name, frames = head.group(2) or head.group(1), []
            continue
        frame = _FRAME.match(line)
        if frame and len(frames) < _FRAMES_KEPT:
            path, number, symbol = frame.groups()
            frames.append(SourceRef(shown_path(path), int(number) if number.isdigit() else None, symbol))
    if frames:
        threads.append(Thread(name, tuple(frames)))
    return threads


def own_frame(threads: list[Thread]) -> SourceRef | None:
    """Return the innermost frame of the user's own, in the first thread that has one."""
    for thread in threads:
        for frame in thread.frames:
            if is_first_party(frame.path):
                return frame
    return None


def holding_frame(stacks: tuple[Stack, ...]) -> SourceRef | None:
    """Return the user's frame in the process that holds the others up: a worker, if one is at work."""
    by_work: dict[int, list[Thread]] = {}
    busy: list[int] = []
    for stack in stacks:
        by_work.setdefault(stack.at.pid, []).append(Thread(stack.thread, stack.frames))
        if stack.at.worker is not None and stack.at.stage != "idle" and stack.at.pid not in busy:
            busy.insert(0, stack.at.pid)
        elif stack.at.pid not in busy:
            busy.append(stack.at.pid)
    frames = (own_frame(by_work[pid]) for pid in busy)
    return next((frame for frame in frames if frame is not None), None)


def fault_text(staging: Path, pid: int) -> str:
    """Return what the fault handler of a process wrote when it crashed; empty if it did not."""
    return _read(staging / "stacks" / f"{pid}.fault")


def ask(staging: Path, pids: list[int], wait_s: float = 1.0) -> dict[int, str]:
    """Ask processes for their stacks; those without our handler are left alone."""
    files = {pid: staging / "stacks" / str(pid) for pid in pids}
    before = {pid: len(_read(path)) for pid, path in files.items() if path.exists()}
    for pid in before:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, STACK_SIGNAL)
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline and any(len(_read(files[p])) <= n for p, n in before.items()):
        time.sleep(0.02)
    time.sleep(0.05)  # the last lines of a dump
    return {pid: _read(files[pid])[size:] for pid, size in before.items()}


def collect(staging: Path, works: list[WorkAt]) -> tuple[tuple[Stack, ...], bool]:
    """Return the stacks of processes now, and whether the user's code in them moves.

    Two looks, half a second apart: other lines, or CPU time spent in between, are movement.
    """
    pids = [work.pid for work in works]
    first = {pid: parse(text) for pid, text in ask(staging, pids).items()}
    cpu = {pid: _cpu_s(pid) for pid in pids}
    time.sleep(0.5)
    second = {pid: parse(text) for pid, text in ask(staging, pids).items()}
    moving = False
    stacks = []
    for work in works:
        threads = second.get(work.pid) or first.get(work.pid) or []
        spent = _cpu_s(work.pid) - cpu.get(work.pid, 0.0)
        own = [own_frame(found.get(work.pid, [])) for found in (first, second)]
        moving = moving or (own[0] is not None and (spent > 0.1 or own[0] != own[1]))
        state = _state(work.pid)
        stacks += [Stack(work, thread.name, thread.frames, state) for thread in threads[:_THREADS_KEPT]]
    return tuple(stacks), moving


def _cpu_s(pid: int) -> float:
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def _state(pid: int) -> str:
    with contextlib.suppress(OSError, IndexError):
        return (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0]
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
