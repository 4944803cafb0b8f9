"""Starts simulated ranks, each in a fresh interpreter, and waits for none of them longer than the deadline."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from dldoctor.child.alarm import STACK_SIGNAL
from dldoctor.child.session import Session
from dldoctor.child.staging import library
from dldoctor.finding import SourceRef
from dldoctor.probes.sharding.movement import Movement
from dldoctor.probes.sharding.streams import folder_of
from dldoctor.targets.user_code import is_user_file, shown

DEFAULT_TIMEOUT_S = 60.0
_BOOT = """
import sys
sys.path[0] = {library!r}
from dldoctor.probes.sharding.rank import run
run({library!r}, {job!r})
"""
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
_POLL_S = 0.1


@dataclass(frozen=True)
class World:
    """The ranks of one launch."""

    size: int
    ranks: tuple[int, ...]
    """Those that run for real."""
    group: Literal["none", "gloo", "fake"] = "none"
    epochs: int = 2
    workers: int | None = None
    """Null for the loader's own; 0 for a reference that reads everything in one process."""
    may_need_group: bool = True
    """A rank that asks for a group gives up, so that all are started again with one."""
    seconds: float = 60.0
    """Time for the epochs."""
    extras: bool = True
    """Also try the order without `set_epoch`, and the random numbers."""


@dataclass(frozen=True)
class Ended:
    """How one rank ended."""

    rank: int
    folder: str
    state: Literal["run", "stuck", "died"]
    result: dict[str, Any]
    error: str | None = None
    where: SourceRef | None = None

    @property
    def made(self) -> dict[str, Any]:
        """What the rank said of the target once it was made; empty where it did not get so far."""
        return _read(self.folder, "made.json") or {}


def launch(world: World, session: Session, name: str) -> list[Ended]:
    """Run the ranks side by side; one that does not move within the deadline is ended and reported."""
    return launch_together({name: world}, session)[name]


def launch_together(worlds: dict[str, World], session: Session) -> dict[str, list[Ended]]:
    """Run the ranks of several worlds side by side, and return how those of each ended, by its name."""
    running: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
    watches: dict[tuple[str, int], Movement] = {}
    ended: dict[tuple[str, int], Ended] = {}
    deadline = 0.7 * (session.limits.timeout_s or DEFAULT_TIMEOUT_S)
    try:
        for name, world in worlds.items():
            base, port = os.path.join(session.staging, "ranks", name), _free_port()
            folders = {rank: folder_of(base, str(rank)) for rank in world.ranks}
            for rank in world.ranks:
                process = running[name, rank] = _start(rank, world, session, folders, port)
                watches[name, rank] = Movement(folders[rank], process.pid)
        while running:
            time.sleep(_POLL_S)
            for key, process in list(running.items()):
                rank, folder = key[1], watches[key].folder
                if watches[key].moved():
                    session.note("ranks", f"rank {rank} moved")
                if process.poll() is not None:
                    ended[key] = _of_finished(rank, folder, process)
                elif watches[key].silent(deadline) or session.stopping:
                    ended[key] = _of_stuck(rank, folder, process, session, deadline)
                if key in ended:
                    del running[key]
                    session.note("ranks", f"rank {rank} ended")
            session.progress()
    finally:
        for process in running.values():
            _kill(process)
    return {name: [ended[name, rank] for rank in world.ranks] for name, world in worlds.items()}


def _start(
    rank: int, world: World, session: Session, folders: dict[int, str], port: int
) -> subprocess.Popen[bytes]:
    folder = folders[rank]
    first = rank == min(world.ranks)
    job = {
        "request": asdict(session.request),
        "rank": rank,
        "world": world.size,
        "group": world.group,
        "epochs": world.epochs,
        "workers": world.workers,
        "may_need_group": world.may_need_group,
        "seconds": world.seconds,
        "timeout_s": session.limits.timeout_s or DEFAULT_TIMEOUT_S,
        "folder": folder,
        "folders": list(folders.values()),
        "peek": world.extras and first,
        "mix": world.extras,
        "draws": world.extras and world.size > 1 and rank in world.ranks[:2],
    }
    path = os.path.join(folder, "job.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(job, file)
    boot = _BOOT.format(library=str(library(Path(session.staging))), job=path)
    return subprocess.Popen(
        [sys.executable, "-c", boot],
        stdin=subprocess.DEVNULL,
        env={**os.environ, **_environment(rank, world.size, port)},
        process_group=0,
    )


def _environment(rank: int, world: int, port: int) -> dict[str, str]:
    """Return the variables that torchrun sets on one machine."""
    threads = {} if "OMP_NUM_THREADS" in os.environ or world == 1 else {"OMP_NUM_THREADS": "1"}
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_WORLD_SIZE": str(world),
        "GROUP_RANK": "0",
        "GROUP_WORLD_SIZE": "1",
        "ROLE_RANK": str(rank),
        "ROLE_WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        **threads,
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _of_finished(rank: int, folder: str, process: subprocess.Popen[bytes]) -> Ended:
    with contextlib.suppress(OSError):  # workers that outlive it
        os.killpg(process.pid, signal.SIGKILL)
    result = _read(folder, "result.json")
    if result is not None:
        return Ended(rank, folder, "run", result)
    code = process.returncode
    how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    return Ended(rank, folder, "died", {}, f"ended with {how}")


def _of_stuck(
    rank: int, folder: str, process: subprocess.Popen[bytes], session: Session, deadline: float
) -> Ended:
    where = None if session.stopping else _stack(session.staging, process.pid)
    _kill(process)
    result = _read(folder, "result.json")
    if result is not None:  # it had only not ended yet
        return Ended(rank, folder, "run", result)
    said = "was interrupted" if session.stopping else f"did not move for {deadline:.0f} s"
    return Ended(rank, folder, "stuck", {}, said, where)


def _read(folder: str, name: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except (OSError, ValueError):
        return None


def _stack(staging: str, pid: int) -> SourceRef | None:
    """Return the user's innermost frame in a process that does not move."""
    path = os.path.join(staging, "stacks", str(pid))
    with contextlib.suppress(OSError):
        os.kill(pid, STACK_SIGNAL)
        time.sleep(0.3)
        with open(path, encoding="utf-8", errors="replace") as file:
            for name, line, symbol in _FRAME.findall(file.read()):
                if is_user_file(name):
                    return SourceRef(shown(name), int(line), symbol)
    return None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a rank and its workers."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
