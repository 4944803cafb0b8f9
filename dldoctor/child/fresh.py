"""Runs one function of a probe in a new interpreter that loads the target again, with its own hash seed."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import time
import traceback
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.channel import plain
from dldoctor.child.request import ChildRequest, read_request
from dldoctor.child.session import Session
from dldoctor.child.staging import library

_BOOT = """
import sys
sys.path[0] = {library!r}
from dldoctor.child.fresh import main
main({library!r}, {folder!r}, {staging!r})
"""
_GO = b"!"
POLL_S = 0.02


@dataclass(frozen=True)
class Answer:
    """What came back from a fresh interpreter."""

    result: Any = None
    failed: str | None = None
    """Why there is no result: the user's exception on one line, or how the process ended."""


class FreshRun:
    """One interpreter at work."""

    def __init__(self, process: subprocess.Popen[bytes], answer: Path, session: Session) -> None:
        """Follow `process`, which writes its answer to a file."""
        self._process = process
        self._answer = answer
        self._session = session

    def wait(self, seconds: float) -> Answer:
        """Return the answer; a process that takes longer is ended."""
        started = time.monotonic()
        deadline, said = started + seconds, -1
        while self._process.poll() is None:
            if (elapsed := int(time.monotonic() - started)) != said:
                # Starting an interpreter moves nothing; this wait has a deadline of its own.
                self._session.note("wait", elapsed)
                said = elapsed
            if time.monotonic() > deadline or self._session.stopping:
                self._process.kill()
                self._process.wait()
                return Answer(failed=f"no answer within {seconds:.0f} s")
            time.sleep(POLL_S)
        try:
            data = json.loads(self._answer.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return Answer(failed=f"the process ended with {self._process.returncode}")
        if "fault" in data:
            raise RuntimeError(data["fault"])
        return Answer(data.get("result"), data.get("failed"))


def can_start(request: ChildRequest) -> bool:
    """Whether a new interpreter can load the target: a live object exists in its own process only."""
    holder = request.target.spec.rsplit(":", 1)[0]
    return ":" in request.target.spec or os.path.isfile(holder)


class FreshInterpreter:
    """A new interpreter with torch in it, which waits for its order before the target is loaded."""

    def __init__(self, session: Session, hash_seed: str | None = None) -> None:
        """Start it; what it imports takes seconds, in which others can work."""
        self._folder = Path(session.staging) / "fresh" / uuid.uuid4().hex
        self._folder.mkdir(parents=True)
        environment = dict(os.environ)
        if hash_seed is not None:
            environment["PYTHONHASHSEED"] = hash_seed
        root = str(library(Path(session.staging)))
        boot = _BOOT.format(library=root, folder=str(self._folder), staging=session.staging)
        self._process = subprocess.Popen(
            [sys.executable, "-c", boot],
            stdin=subprocess.PIPE,
            env=environment,
            pass_fds=(session.request.events,),
        )

    def start(
        self, session: Session, function: str, settings: dict[str, Any], *, seed: int | None = None
    ) -> FreshRun:
        """Let it run `function` (``module:name``) with the settings.

        `seed` sets the three generators before the target is imported.
        """
        order = {
            "request": asdict(session.request),
            "function": function,
            "settings": plain(settings),
            "seed": seed,
        }
        (self._folder / "order.json").write_text(json.dumps(order), encoding="ascii")
        go = self._process.stdin
        assert go is not None
        with contextlib.suppress(BrokenPipeError):  # it died; the one who waits for the answer learns how
            go.write(_GO)
            go.close()
        return FreshRun(self._process, self._folder / "answer", session)


def start_fresh(
    session: Session,
    function: str,
    settings: dict[str, Any],
    *,
    seed: int | None = None,
    hash_seed: str | None = None,
) -> FreshRun:
    """Start `function` in a new interpreter at once; see `FreshInterpreter.start`."""
    return FreshInterpreter(session, hash_seed).start(session, function, settings, seed=seed)


def main(library_folder: str, folder: str, staging: str) -> None:
    """Wait for the order, load the target and answer; the entry of the new interpreter."""
    from dldoctor.child.channel import Channel
    from dldoctor.child.holder import keep_temporary_folders
    from dldoctor.child.main import import_ours
    from dldoctor.probes.frames import one_line
    from dldoctor.probes.watch import alarm_die_with_parent

    alarm.arm(staging)
    alarm_die_with_parent()
    import_ours()
    import torch  # noqa: F401 - the target's code does in any case

    keep_temporary_folders(staging)
    _wait_for_go()
    order = json.loads((Path(folder) / "order.json").read_text(encoding="ascii"))
    request = read_request(order["request"])
    module, name = order["function"].split(":")
    function = getattr(importlib.import_module(module), name)
    sys.path.remove(library_folder)
    sys.path.append(library_folder)
    session = Session(request, Channel(request.events), "fresh")
    session.listen()
    answer: dict[str, Any]
    try:
        answer = {"result": plain(function(session, order["seed"], order["settings"]))}
    except UserCodeError as error:
        answer = {"failed": one_line(error.__cause__ or error)}
    except BaseException:  # noqa: BLE001 - told by the process that waits
        answer = {"fault": traceback.format_exc()}
    (Path(folder) / "answer").write_text(json.dumps(answer), encoding="ascii")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the user's threads and exit handlers are not waited for


def _wait_for_go() -> None:
    """Wait on standard input, and leave the user's code none."""
    if os.read(0, 1) != _GO:
        os._exit(0)  # nobody wants it any more
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


class UserCodeError(Exception):
    """The user's code raised; the cause says what."""
