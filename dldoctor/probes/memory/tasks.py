"""Threads and processes that are alive when an epoch is over, by name."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter

from dldoctor.evidence.memory import EpochTasks
from dldoctor.probes.memory.counters import Reader

NAMES = 16


def tasks(epoch: int, reader: Reader, *, cut: bool) -> EpochTasks:
    """Return what lives now: threads of this process, and all processes that came from it."""
    names = Counter(_plain(thread.name) for thread in threading.enumerate())
    others = Counter(_name(pid) for pid in reader.below(os.getpid()))
    return EpochTasks(
        epoch=epoch,
        cut=cut,
        threads=reader.cheap().threads,
        processes=sum(others.values()),
        thread_names=_listed(names),
        process_names=_listed(others),
    )


def _name(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()
    return "?"


def _plain(name: str) -> str:
    """Return a thread's name without its number: ``ThreadPoolExecutor-3_0`` is one of many alike."""
    return "".join("*" if letter.isdigit() else letter for letter in name).replace("**", "*")


def _listed(names: Counter[str]) -> tuple[str, ...]:
    return tuple(name if count == 1 else f"{count} x {name}" for name, count in names.most_common(NAMES))
