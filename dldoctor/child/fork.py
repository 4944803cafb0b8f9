"""Runs one function in a fork of a probe, so that several settings each start fresh."""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import signal
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.channel import plain
from dldoctor.probes.watch import alarm_die_with_parent

FAULT_OF_OURS = 70
POLL_S = 0.05
GONE_S = 2.0
"""Time that a killed worker gets to be gone."""


class RunDiedError(Exception):
    """The fork ended without a result; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int, text: str = "") -> None:
        """Keep how it ended, and the traceback of a fault of ours."""
        super().__init__(text or f"the process ended with {code}")
        self.code = code


def run_in_fork(
    staging: str, function: Callable[[], Any], while_waiting: Callable[[], None] | None = None
) -> Any:
    """Return the JSON form of what `function` returns in a fork of this process.

    `while_waiting` is called here some times a second until then.

    Raises:
        RunDiedError: the fork was killed, exited, or our own function raised in it.
    """
    return start_in_fork(staging, function).wait(while_waiting)


@dataclass(frozen=True)
class Fork:
    """A function at work in a fork of this process, which must be waited for once."""

    pid: int
    answer: int
    """The end of the pipe through which the result comes."""

    def wait(self, while_waiting: Callable[[], None] | None = None) -> Any:
        """Return the JSON form of the result.

        Raises:
            RunDiedError: the fork was killed, exited, or our own function raised in it.
        """
        data, status = _read_until_gone(self.answer, self.pid, while_waiting)
        answer = json.loads(data) if data else {}
        if "result" not in answer:
            raise RunDiedError(os.waitstatus_to_exitcode(status), answer.get("fault", ""))
        return answer["result"]


def start_in_fork(staging: str, function: Callable[[], Any]) -> Fork:
    """Start `function` in a fork of this process."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        code = FAULT_OF_OURS
        # A fork has its parent's list of children: those are no children of this process.
        not_ours = multiprocessing.active_children()
        try:
            alarm.arm(staging)
            alarm_die_with_parent()
            _write(write_end, {"result": plain(function())})
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except BaseException:  # noqa: BLE001 - a fork must never return into its parent's code
            _write(write_end, {"fault": traceback.format_exc()})
        finally:
            try:
                _end_children(not_ours)
            finally:
                os._exit(code)
    os.close(write_end)
    return Fork(pid, read_end)


def _end_children(not_ours: Collection[BaseProcess]) -> None:
    """End workers that are still there: the iterator that would do it dies with this process."""
    children = [one for one in multiprocessing.active_children() if one not in not_ours]
    # torch raises from its own handler when a worker of its is killed.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for child in children:
        child.kill()
    for child in children:
        child.join(GONE_S)


def _read_until_gone(pipe: int, pid: int, while_waiting: Callable[[], None] | None) -> tuple[bytes, int]:
    """Return what came and how the fork ended; its own children may hold the pipe open after it."""
    data, status = b"", None
    try:
        while True:
            ready, _, _ = select.select([pipe], [], [], 0.0 if status is not None else POLL_S)
            if ready:
                part = os.read(pipe, 1 << 16)
                if not part:
                    break
                data += part
            elif status is not None:
                return data, status
            else:
                ended, code = os.waitpid(pid, os.WNOHANG)
                status = code if ended else None
                if while_waiting is not None:
                    while_waiting()
    finally:
        os.close(pipe)
    return data, status if status is not None else os.waitpid(pid, 0)[1]


def _write(descriptor: int, value: dict[str, Any]) -> None:
    view = memoryview(json.dumps(value).encode("ascii"))
    while view:
        view = view[os.write(descriptor, view) :]
