"""The counters by psutil, held against those of ``/proc``."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.finding import Level
from dldoctor.intent import Limits, TargetOptions
from dldoctor.probes.memory import counters
from dldoctor.probes.memory.counters import FromProc, reader
from dldoctor.probes.memory.elsewhere import FromPsutil
from dldoctor.request import Request
from dldoctor.targets import resolve


def test_children_are_counted_and_those_that_watch_themselves_are_not() -> None:
    """With what they take; both readers agree on how many there are."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        for reader in (FromProc(), FromPsutil()):
            with_it, without = reader.children(), reader.children({child.pid})
            assert with_it.number == without.number + 1
            assert with_it.bytes > without.bytes
            assert child.pid in reader.below(os.getpid())
    finally:
        child.communicate()


def test_psutil_tells_what_proc_tells() -> None:
    """Descriptors by kind, threads, resident memory within a few pages, private memory likewise."""
    with open(__file__, encoding="utf-8"), socket.create_server(("127.0.0.1", 0)):
        ours, theirs = FromProc(), FromPsutil()
        assert theirs.cheap().descriptors - ours.cheap().descriptors in (0, 1)  # psutil counts its own look
        assert ours.cheap().threads == theirs.cheap().threads
        assert abs(ours.cheap().rss_bytes / theirs.cheap().rss_bytes - 1) < 0.05
        assert abs(ours.full().uss_bytes / theirs.full().uss_bytes - 1) < 0.05
        opened, _ = ours.census()
        seen, segments = theirs.census()
        place = next(
            pattern for kind, pattern in opened if kind == "file" and pattern.endswith("/memory/*.py")
        )
        assert seen["file", place] == opened["file", place] == 1
        assert seen["socket", "socket"] == opened["socket", "socket"]
        assert segments == set()


def test_without_proc_psutil_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing does where that is missing too."""
    assert isinstance(reader(), FromProc)
    monkeypatch.setattr(counters, "PROC", "/nowhere")
    assert isinstance(reader(), FromPsutil)
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert not counters.can_read()


@pytest.mark.slow
def test_a_leak_is_told_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole command, with psutil alone."""
    monkeypatch.setattr(counters, "PROC", "/nowhere")

    def load(asked: Any) -> Any:
        return resolve(asked.target)

    case = Path(__file__).parents[2] / "zoo" / "memory_leak.py"
    request = Request(
        "watch-memory", TargetOptions(f"{case}:broken"), limits=Limits(time_budget_s=10.0), select=("DL8",)
    )
    report = diagnose(request, launcher=fork_caller(load))
    # A note on what workers copied may stand beside it: this process holds more than the case does.
    assert [one.rule for one in report.findings if one.level is not Level.INFO] == ["DL801"]
    assert report.evidence.memory is not None
    assert report.evidence.memory.verdict == "leak"
