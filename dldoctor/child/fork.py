"""Runs one function in a fork of a probe, so that several settings each start fresh."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.channel import plain
from dldoctor.probes.watch import alarm_die_with_parent

FAULT_OF_OURS = 70


class RunDiedError(Exception):
    """The fork ended without a result; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int, text: str = "") -> None:
        """Keep how it ended, and the traceback of a fault of ours."""
        super().__init__(text or f"the process ended with {code}")
        self.code = code


def run_in_fork(staging: str, function: Callable[[], Any]) -> Any:
    """Return the JSON form of what `function` returns in a fork of this process.

    Raises:
        RunDiedError: the fork was killed, exited, or our own function raised in it.
    """
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        code = FAULT_OF_OURS
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
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(pid, 0)
    answer = json.loads(data) if data else {}
    if "result" not in answer:
        raise RunDiedError(os.waitstatus_to_exitcode(status), answer.get("fault", ""))
    return answer["result"]


def _write(descriptor: int, value: dict[str, Any]) -> None:
    view = memoryview(json.dumps(value).encode("ascii"))
    while view:
        view = view[os.write(descriptor, view) :]
