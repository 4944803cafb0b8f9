"""Turns the end of a process into evidence: which signal, at which sample, with how much memory."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

from dldoctor.child.board import Note
from dldoctor.child.stacks import fault_text, own_frame, parse
from dldoctor.evidence.outcome import Death, WorkAt
from dldoctor.finding import SampleId


def work_at(slot: int, note: Note, rss_bytes: int | None = None) -> WorkAt:
    """Return a note of the board as evidence."""
    return WorkAt(
        worker=slot - 1 if slot > 0 else None,
        pid=note.pid,
        stage=note.stage,
        sample=_sample(note.sample),
        batch=note.batches,
        rss_bytes=rss_bytes,
    )


def _sample(text: str) -> SampleId | None:
    if not text:
        return None
    return int(text) if text.lstrip("-").isdigit() else text


def death(
    at: WorkAt, code: int, phase: str, staging: Path, *, out_of_memory: bool, limit_bytes: int | None
) -> Death:
    """Return how a process ended; `code` is negative for a signal, as in `subprocess`."""
    text = fault_text(staging, at.pid)
    return Death(
        at=at,
        signal=_signal_name(-code) if code < 0 else None,
        exit_code=code if code >= 0 else None,
        phase=phase,
        where=own_frame(parse(text)),
        out_of_memory=out_of_memory,
        memory_limit_bytes=limit_bytes,
        stderr_tail=text[-1000:],
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def out_of_memory_kills() -> int:
    """Return how often the kernel has killed for memory: of our cgroup where it tells, else the host."""
    for path, name in (
        (Path("/sys/fs/cgroup/memory.events"), "oom_kill"),
        (Path("/proc/vmstat"), "oom_kill"),
    ):
        with contextlib.suppress(OSError, ValueError):
            for line in path.read_text().splitlines():
                key, _, value = line.partition(" ")
                if key == name:
                    return int(value)
    return 0
