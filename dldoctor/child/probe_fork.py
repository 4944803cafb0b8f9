"""Runs one probe in a fork of the process that holds the target, so that each starts as fresh as the first."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.channel import Channel
from dldoctor.child.request import ChildRequest
from dldoctor.child.session import Session
from dldoctor.child.time_plan import Slice
from dldoctor.child.worker_death import report_worker

Probe = Callable[[Any, Session], None]
FAULT_OF_OURS = 70
MEASURE_COLLECTION = {"memory", "memory-step", "memory-cause"}
"""Probes in which the garbage collector visits the user's objects as it does in the user's program."""


@dataclass(frozen=True)
class ProbeFork:
    """A fork that waits to be let go."""

    name: str
    pid: int
    go: int
    """The end of the pipe into which its time is written; closed without a word where it is not wanted."""

    def run(self, request: ChildRequest, channel: Channel, share: Slice | None) -> None:
        """Let the probe run with its share of the time, and wait for its end."""
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            os.write(self.go, json.dumps(None if share is None else asdict(share)).encode("ascii"))
        os.close(self.go)
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        late = share is not None and time.monotonic() - began >= share.stop_after_s
        if code != 0 and not late:
            session = Session(request, channel, self.name)
            last = session.board.read().get(0)
            session.add_deadly(
                [last.sample] if last is not None and last.stage not in ("idle", "next") else []
            )
        channel.send("phase-end", name=self.name, code=code)

    def lives(self) -> bool:
        """Whether it still waits; the last look at one that does not."""
        if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            return True
        os.close(self.go)
        return False

    def end(self) -> None:
        """End it without having run."""
        os.close(self.go)
        # Workers that a probe left behind may hold the pipe open: it may never hear that nobody writes.
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def run_probe(
    name: str,
    probe: Probe,
    pipeline: Any,
    request: ChildRequest,
    channel: Channel,
    share: Slice | None = None,
    early: ProbeFork | None = None,
) -> None:
    """Run a probe in a fork, or here where that cannot be; `early` is the fork that was made for it before."""
    if early is not None:
        early.run(request, channel, share)
    elif cannot_fork():
        channel.send("phase", name=name, pid=os.getpid())
        _run_here(name, probe, pipeline, _within(request, share), channel)
        channel.send("phase-end", name=name, code=0)
    else:
        start_probe(name, probe, pipeline, request, channel).run(request, channel, share)


def start_probe(
    name: str,
    probe: Probe,
    pipeline: Any,
    request: ChildRequest,
    channel: Channel,
    prepare: Callable[[Session], Any] | None = None,
) -> ProbeFork:
    """Fork for a probe; what `prepare` returns, it makes before the probe is let go."""
    _flush()
    wait, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = FAULT_OF_OURS
        try:
            os.close(go)
            _freeze(name)
            alarm.arm(request.staging)
            from dldoctor.probes.watch import alarm_die_with_parent

            alarm_die_with_parent()
            prepared = None if prepare is None else prepare(Session(request, channel, name))
            said = os.read(wait, 1 << 12)
            os.close(wait)
            if not said:
                os._exit(0)
            share = Slice(**told) if (told := json.loads(said)) is not None else None
            stop_after_s = None if share is None else share.stop_after_s
            channel.send("phase", name=name, pid=os.getpid(), stop_after_s=stop_after_s)
            code = _run_here(name, probe, pipeline, _within(request, share), channel, prepared)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
            channel.send("exited", name=name, code=code)
        except BaseException:  # noqa: BLE001 - a fork must never return into the holder's code
            channel.send("fault", traceback=traceback.format_exc(), phase=name)
        finally:
            _flush()
            # Not sys.exit: the user's threads and exit handlers are not ours to run twice.
            os._exit(code)
    os.close(wait)
    return ProbeFork(name, pid, go)


def cannot_fork() -> str | None:
    """Return why this process cannot be forked."""
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return "CUDA is initialised, and does not survive a fork"
    return None


def _flush() -> None:
    """Let nothing that was printed be printed twice."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def _freeze(name: str) -> None:
    if name == "profile":
        gc.unfreeze()  # it asks for all functions there are
    elif name not in MEASURE_COLLECTION:
        gc.freeze()


def _within(request: ChildRequest, share: Slice | None) -> ChildRequest:
    if share is None:
        return request
    return replace(request, limits=replace(request.limits, time_budget_s=share.seconds))


def _run_here(
    name: str, probe: Probe, pipeline: Any, request: ChildRequest, channel: Channel, prepared: Any = None
) -> int:
    session = Session(request, channel, name)
    session.prepared = prepared
    if threading.current_thread() is threading.main_thread():
        session.listen()
    session.note("start")
    try:
        probe(pipeline, session)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not look like the user's
        if not report_worker(error, session):
            channel.send("fault", traceback=traceback.format_exc(), phase=name)
            return FAULT_OF_OURS
    channel.send("phase-done", name=name)
    return 0
