"""Three ways to start the process that holds the target."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from dldoctor.child.processes import MARK
from dldoctor.child.request import ChildRequest
from dldoctor.child.staging import library
from dldoctor.errors import ChildError

OLDEST = (3, 11)
_BOOT = """
import sys
if sys.version_info < (3, 11):
    sys.exit(86)
sys.path[0] = {library!r}
from dldoctor.child.main import run
run({library!r}, {request!r})
"""
_TOO_OLD = 86


class Child(Protocol):
    """The process that holds the target."""

    pid: int
    session: int | None
    """Its session, which its descendants share unless they leave it."""

    def poll(self) -> int | None:
        """Return the exit code (negative: signal), or None while it lives."""

    def wait(self) -> None:
        """Reap it."""


Launcher = Callable[[ChildRequest, Path, str], Child]
"""``(request, staging, mark) -> child``"""


class StartedChild:
    """A child in an interpreter of its own."""

    def __init__(self, process: subprocess.Popen[bytes], python: str) -> None:
        """Hold the process."""
        self._process = process
        self._python = python
        self.pid = process.pid
        self.session: int | None = process.pid

    def poll(self) -> int | None:
        """Return the exit code; an interpreter that is too old is an error of the caller's."""
        code = self._process.poll()
        if code == _TOO_OLD:
            raise ChildError(
                f"{self._python} is older than Python {OLDEST[0]}.{OLDEST[1]}, which dldoctor needs"
            )
        return code

    def wait(self) -> None:
        """Reap it."""
        self._process.wait()


def start_interpreter(python: str | None) -> Launcher:
    """Return a launcher that runs the user's code in `python` (this one where it is None)."""
    executable = python or sys.executable

    def launch(request: ChildRequest, folder: Path, mark: str) -> Child:
        root = str(library(folder))
        boot = _BOOT.format(library=root, request=str(folder / "request.json"))
        with (folder / "printed").open("ab") as output:
            try:
                process = subprocess.Popen(
                    [executable, "-c", boot],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(request.events,),
                    start_new_session=True,
                    env={**os.environ, MARK: mark},
                )
            except OSError as error:
                raise ChildError(f"cannot start {executable}: {error.strerror}") from error
        return StartedChild(process, executable)

    return launch


class ForkedChild:
    """A child that is a fork of this process, with its live objects."""

    def __init__(self, pid: int) -> None:
        """Hold the process."""
        self.pid = pid
        self.session: int | None = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while it lives."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self) -> None:
        """Reap it."""
        if self._code is None:
            _, status = os.waitpid(self.pid, 0)
            self._code = os.waitstatus_to_exitcode(status)


def fork_caller(load: Callable[[ChildRequest], Any]) -> Launcher:
    """Return a launcher that forks this process; `load` gives the pipeline in the fork."""

    def launch(request: ChildRequest, folder: Path, mark: str) -> Child:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            try:
                _become_child(folder, mark)
                _serve(request, load)
            finally:
                os._exit(0)
        return ForkedChild(pid)

    return launch


def _become_child(folder: Path, mark: str) -> None:
    from dldoctor.probes.watch import alarm_die_with_parent

    os.setsid()
    alarm_die_with_parent()
    os.environ[MARK] = mark
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(folder / "printed", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # A test runner may have put its own objects in their place.
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115


def _serve(request: ChildRequest, load: Callable[[ChildRequest], Any]) -> None:
    from dldoctor.child.channel import Channel
    from dldoctor.child.holder import serve

    channel = Channel(request.events)
    serve(request, channel, lambda: load(request))
