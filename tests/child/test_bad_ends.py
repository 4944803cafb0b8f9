"""Whatever happens in the user's code ends in a report, with the sample and the worker at fault."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.slow
PIPELINES = Path(__file__).parent / "pipelines.py"
GONE_S = 20.0


@dataclass(frozen=True)
class Room:
    """Where one test's runs live, so that what they leave can be told from anybody else's."""

    folder: Path
    """Their folder for temporary files."""
    token: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a run."""
        return {**os.environ, "TMPDIR": str(self.folder), "DLDOCTOR_TEST": self.token}

    def processes(self) -> list[psutil.Process]:
        """The living processes of the runs."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("DLDOCTOR_TEST") == self.token:
                    found.append(process)
        return found


def segments() -> set[str]:
    """Return shared memory segments whose owner is gone."""
    shm = Path("/dev/shm")
    names = {path.name for path in shm.glob("torch_*")} if shm.is_dir() else set()
    return {name for name in names if not psutil.pid_exists(int(name.split("_")[1]))}


def left_for_good(before: set[str]) -> set[str]:
    """Return the segments that were not there before, and stay: what another test leaves is soon gone."""
    deadline = time.monotonic() + GONE_S
    while (left := segments() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


@pytest.fixture
def room() -> Iterator[Room]:
    """A room for runs; fail if they leave a file, a segment or a process behind."""
    before = segments()
    # Not pytest's own folder: its long name leaves no room for the names of sockets below it.
    made = Room(Path(tempfile.mkdtemp(prefix="room-")), uuid.uuid4().hex)
    yield made
    left = made.processes()
    for process in left:
        process.kill()
    assert [process.name() for process in left] == []
    assert [path.name for path in made.folder.iterdir()] == []
    assert left_for_good(before) == set()
    made.folder.rmdir()


def command(*arguments: str) -> list[str]:
    """Return the command line of a dry run."""
    return [sys.executable, "-m", "dldoctor", "dry-run", *arguments, "-o", "-", "--format", "json", "--quiet"]


def dry_run(room: Room, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Run it; return exit status, report and standard error."""
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=110, check=False, env=room.environment
    )
    report = json.loads(done.stdout) if done.stdout.strip() else {}
    return done.returncode, report, done.stderr


def findings(report: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    """Return the findings of one rule."""
    return [one for one in report["findings"] if one["rule"] == rule]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("what", "name", "code"),
    [
        ("exit", None, 3),
        ("exit_zero", None, 0),
        ("crash", "SIGSEGV", None),
        ("kill", "SIGKILL", None),
        ("sys_exit", None, None),
    ],
)
def test_a_process_that_ends_is_a_finding(
    what: str, name: str | None, code: int | None, workers: int, room: Room
) -> None:
    """DL508 names the signal or exit code, the last sample, the stage and the worker."""
    status, report, _ = dry_run(room, f"{PIPELINES}:make", "-k", f"what={what}", "-k", f"workers={workers}")
    death = report["evidence"]["outcome"]["deaths"][0]
    assert status == 1
    assert [one["level"] for one in findings(report, "DL508")] == ["error"]
    assert (death["signal"], death["at"]["sample"], death["at"]["stage"]) == (name, 9, "getitem")
    assert death["at"]["worker"] == (None if workers == 0 else 0)
    if code is not None:
        assert death["exit_code"] == code


# Serial are the tests of what does not move within a time, and those that send a signal to a run at work.
@pytest.mark.serial
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("what", "function"), [("lock", "wait_for_lock"), ("spin", "spin")])
def test_a_hang_shows_where(what: str, function: str, workers: int, room: Room) -> None:
    """DL509 has the user's frame and the sample, whether the process sleeps or runs."""
    status, report, _ = dry_run(
        room, f"{PIPELINES}:make", "-k", f"what={what}", "-k", f"workers={workers}", "--timeout", "2"
    )
    hang = report["evidence"]["outcome"]["hangs"][0]
    stuck = [stack for stack in hang["stacks"] if stack["at"]["stage"] == "getitem"]
    assert status == 1
    assert len(findings(report, "DL509")) == 1
    assert hang["where"]["symbol"] == function
    assert {stack["at"]["sample"] for stack in stuck} == {9}


@pytest.mark.serial
def test_a_hang_under_spawn_shows_where(room: Room) -> None:
    """A spawned worker writes its stack too."""
    _, report, _ = dry_run(
        room,
        f"{PIPELINES}:make",
        "-k",
        "what=spin",
        "-k",
        "workers=1",
        "-k",
        "start=spawn",
        "--timeout",
        "12",
    )
    assert report["evidence"]["outcome"]["hangs"][0]["where"]["symbol"] == "spin"


@pytest.mark.parametrize("workers", [0, 2])
def test_an_exception_names_the_sample_and_the_line(workers: int, room: Room) -> None:
    """DL105 has the index, the exception and the user's innermost frame; the run goes on."""
    status, report, _ = dry_run(room, f"{PIPELINES}:make", "-k", "what=raise", "-k", f"workers={workers}")
    (failure,) = [one for one in report["evidence"]["failures"] if one["phase"] == "loader"]
    assert status == 1
    assert (failure["id"], failure["error"]) == (9, "ValueError: no such clip")
    assert failure["where"]["symbol"] == "raise_error"
    assert report["evidence"]["samples"]["read"] == 19


def test_a_process_that_left_the_session_is_ended_too(room: Room) -> None:
    """A grandchild in a session of its own does not outlive the run."""
    status, _, _ = dry_run(room, f"{PIPELINES}:make", "-k", "what=orphan", "-k", "workers=2")
    assert status == 0


@contextlib.contextmanager
def endless_run(room: Room, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run that would not end by itself, and wait for its first batches."""
    # A shell has its background jobs ignore SIGINT, which whoever is started inherits; a handler is not.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [sys.executable, "-m", "dldoctor", "dry-run", f"{PIPELINES}:endless", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=room.environment,
    ) as process:
        signal.signal(signal.SIGINT, before)
        assert process.stderr is not None
        for line in process.stderr:
            if re.search(r"\b[1-9][\d,]* (of [\d,]+ )?batch", line):
                break
        yield process


@pytest.mark.serial
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_writes_the_report_so_far(sent: int, room: Room, tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM end with status 130 and a report that says that it is not complete."""
    output = tmp_path / "report.json"
    with endless_run(room, "--batches", "100000", "-o", str(output)) as process:
        process.send_signal(sent)
        assert process.stderr is not None
        process.stderr.read()
        status = process.wait(timeout=60)
    report = json.loads(output.read_text())
    assert status == 130
    assert report["complete"] is False
    assert report["evidence"]["batches"]["delivered"] > 0


def test_what_the_users_code_prints_stays_in_the_report(room: Room) -> None:
    """Prints of the target are captured and do not mix with ours."""
    status, report, errors = dry_run(room, f"{PIPELINES}:noisy")
    assert status == 0
    assert "hello from the user's code" in report["evidence"]["outcome"]["printed"]
    assert "and an error line" in report["evidence"]["outcome"]["printed"]
    assert "hello" not in errors


@pytest.mark.serial
def test_a_child_ends_with_its_parent(room: Room) -> None:
    """When the command itself is killed, nothing of the run goes on."""
    with endless_run(room) as process:
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert children
    assert alive == []
    for folder in room.folder.iterdir():  # nobody was left to remove them
        shutil.rmtree(folder)
