"""Interpreters that find torch imported: one process imports it, and forks for each that is asked for.

A simulated rank is an interpreter of its own, and so is each of two runs that are compared; most of their time
is the import of torch. What a rule says of them does not hang on that; that real interpreters do the same is
tested beside the probes, and in checkups of the sample pipelines.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
START = "import sys; sys.path[0] = {root!r}; from tests.warm_interpreters import serve; serve({door!r}, {modules!r})"
POLL_S = 0.02
HIGH = 200
"""Descriptors from here on are not in use."""


class Popen:
    """What the probe uses of `subprocess.Popen`, for ``python -c``."""

    doors: ClassVar[dict[str | None, str]] = {}
    """Where the processes listen that have torch imported, by the hash seed that each was started with."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int,
        env: dict[str, str],
        process_group: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Ask for a process that runs the code of `command`; it writes where this one writes."""
        assert stdin in (subprocess.DEVNULL, subprocess.PIPE)
        read_end, write_end = os.pipe()
        self.stdin = open(write_end, "wb", buffering=0)
        if stdin == subprocess.DEVNULL:
            self.stdin.close()
        _, flag, code = command
        assert flag == "-c"
        self.returncode: int | None = None
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(self.doors[env.get("PYTHONHASHSEED")])
        descriptors = [0, 1, 2, *pass_fds]
        asked = {
            "code": code,
            "environment": env,
            "folder": os.getcwd(),
            "group": process_group,
            "descriptors": descriptors,
        }
        order = json.dumps(asked).encode() + b"\n"
        socket.send_fds(self._line, [order[:1]], [read_end, *descriptors[1:]])
        os.close(read_end)
        self._line.sendall(order[1:])
        self._answers = self._line.makefile("rb")
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end, and return the exit code."""
        if self.returncode is None:
            self.returncode = int(self._answers.readline())
            self._answers.close()
            self._line.close()
        return self.returncode


@contextlib.contextmanager
def warm_interpreters(user: ModuleType, *modules: str, hash_seed: str | None = None) -> Iterator[None]:
    """Let the interpreters that the module `user` of ours starts find torch and `modules` imported."""
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        door = f"{folder}/door"
        process = subprocess.Popen(
            [sys.executable, "-c", START.format(root=str(ROOT), door=door, modules=modules)],
            stdin=subprocess.DEVNULL,
            env=os.environ if hash_seed is None else {**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        while not Path(door).exists():
            assert process.poll() is None
            time.sleep(POLL_S)
        warm = SimpleNamespace(Popen=Popen, DEVNULL=subprocess.DEVNULL, PIPE=subprocess.PIPE)
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(Popen.doors, hash_seed, door)
                patch.setattr(user, "subprocess", warm)
                yield
        finally:
            process.kill()
            process.wait()


def serve(door: str, modules: Sequence[str]) -> None:
    """Listen, and fork for each that is asked for; a process of its own waits for it."""
    import numpy as np  # noqa: F401 - for the forks, as all that follows
    import torch  # noqa: F401

    import dldoctor.child.channel
    import dldoctor.probes.behaviour.reproduction
    import dldoctor.probes.sharding.measure
    import dldoctor.targets  # noqa: F401
    from dldoctor.probes.watch import alarm_die_with_parent

    alarm_die_with_parent()
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{door}.new")
        listening.listen(64)
        os.rename(f"{door}.new", door)
        while True:
            line, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _wait_for_one(line)
            line.close()


def _wait_for_one(line: socket.socket) -> NoReturn:
    """Start one, say its number and how it ended; end it where nobody listens any more."""
    first, given, _, _ = socket.recv_fds(line, 1, 8)
    with line.makefile("rb") as rest:
        order = json.loads(first + rest.readline())
    pid = os.fork()
    if pid == 0:
        line.close()
        _become(order, given)
    for descriptor in given:
        os.close(descriptor)
    line.sendall(f"{pid}\n".encode())
    ended = 0
    while not ended:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended and select.select([line], [], [], POLL_S)[0]:  # closed: nothing else comes
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(BrokenPipeError):
        line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(order: dict[str, Any], given: list[int]) -> NoReturn:
    """Be as an interpreter that was started for this order."""
    import numpy as np

    if order["group"] is not None:
        os.setpgid(0, order["group"])
    # First out of the way of the numbers that they are to have.
    aside = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH) for descriptor in given]
    for descriptor in given:
        os.close(descriptor)
    for descriptor, number in zip(aside, order["descriptors"], strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    np.random.seed()  # each interpreter begins elsewhere; Python's own generator sees to that itself
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    code = 1
    try:
        exec(order["code"], vars(sys.modules["__main__"]))
        code = 0
    finally:
        os._exit(code)
