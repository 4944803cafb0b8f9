"""A probe's fork prepares itself while others run, waits for its turn, and is gone where that does not come."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from dldoctor.child import early_forks, holder, time_plan
from dldoctor.child.channel import Channel
from dldoctor.child.early_forks import EarlyForks
from dldoctor.child.fresh import FreshInterpreter
from dldoctor.child.launch import fork_caller
from dldoctor.child.request import ChildRequest
from dldoctor.child.session import Session
from dldoctor.child.supervise import supervise
from dldoctor.child.time_plan import Slice
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.targets import resolve

pytestmark = pytest.mark.slow


def _prepare(session: Session) -> FreshInterpreter:
    interpreter = FreshInterpreter(session)
    Path(session.staging, "prepared").write_text(str(interpreter._process.pid))
    return interpreter


def _probe(_pipeline: Any, session: Session) -> None:
    run = session.prepared.start(session, "builtins:slice", {"word": "yes"}, seed=3)
    session.channel.send("answer", told=run.wait(60).result, seconds=session.limits.time_budget_s)


@pytest.fixture
def events() -> Iterator[tuple[int, int]]:
    """The two ends of the pipe to the parent."""
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


@pytest.fixture
def early(
    tmp_path: Path, events: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> tuple[EarlyForks, ChildRequest, Channel]:
    """Forks of a target that exists, with one probe that prepares an interpreter."""
    (tmp_path / "stacks").mkdir()
    monkeypatch.setattr(early_forks, "_prepares", lambda: {"one": _prepare})
    limits = Limits(time_budget_s=60.0)
    request = ChildRequest(
        TargetOptions("a.py:b"), Intent(), limits, ("first", "one"), str(tmp_path), events[1]
    )
    channel = Channel(events[1])
    return EarlyForks(None, request, channel), request, channel


def _started(folder: Path) -> psutil.Process:
    while not (folder / "prepared").exists() or not (folder / "prepared").read_text():
        pass
    return psutil.Process(int((folder / "prepared").read_text()))


def test_it_runs_when_it_is_its_turn(
    early: tuple[EarlyForks, ChildRequest, Channel], events: tuple[int, int], tmp_path: Path
) -> None:
    """With what it prepared, and the time that it is given then."""
    forks, request, channel = early
    forks.start(["one"], {"one": _probe})
    _started(tmp_path)
    fork = forks.take("one")
    assert fork is not None
    fork.run(request, channel, Slice(7.5, 60.0))
    told = [json.loads(line) for line in os.read(events[0], 1 << 16).decode().splitlines()]
    assert [one["kind"] for one in told] == ["early", "phase", "answer", "phase-done", "phase-end"]
    # The interpreter called `slice(session, 3, {"word": "yes"})`, which JSON has as its text.
    assert told[2]["told"].endswith(", 3, {'word': 'yes'})")
    assert told[2]["seconds"] == 7.5


def test_nothing_is_left_of_one_whose_turn_does_not_come(
    early: tuple[EarlyForks, ChildRequest, Channel], tmp_path: Path
) -> None:
    """Neither the fork nor what it started."""
    forks, _, _ = early
    forks.start(["one"], {"one": _probe})
    interpreter = _started(tmp_path)
    forks.end()
    interpreter.wait(10)  # psutil raises where it lives on
    assert forks.take("one") is None


def test_a_probe_that_prepares_nothing_has_no_fork_of_its_own(
    early: tuple[EarlyForks, ChildRequest, Channel],
) -> None:
    """It is made when it is its turn."""
    forks, _, _ = early
    forks.start(["first"], {"first": _probe})
    assert forks.take("first") is None


def test_one_that_waits_outlives_the_end_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe that takes too long is ended with all that it started; the next one has what it prepared."""
    (tmp_path / "numbers.py").write_text("def make():\n    return list(range(4))\n")

    def answers(_pipeline: Any, session: Session) -> None:
        run = session.prepared.start(session, "builtins:slice", {}, seed=3)
        session.missing("reproduction", str(run.wait(60).result))

    table = {
        "loader": lambda *_: None,
        "memory": lambda *_: time.sleep(100),
        "reproduction": answers,
    }
    monkeypatch.setattr(holder, "probes", lambda: table)
    monkeypatch.setattr(early_forks, "_prepares", lambda: {"reproduction": _prepare})
    monkeypatch.setattr(time_plan, "OVER", 0.0)

    def make_request(staging: Path, pipe: int) -> ChildRequest:
        target = TargetOptions(f"{tmp_path}/numbers.py:make")
        limits = Limits(time_budget_s=60.0)
        shares = dict.fromkeys(table, 1.0)
        return ChildRequest(target, Intent(), limits, tuple(table), str(staging), pipe, shares=shares)

    found = supervise(make_request, fork_caller(lambda asked: resolve(asked.target)), lambda _: None)
    assert found.left_out == {"memory": "it took longer than its part of the time budget"}
    assert found.deaths == []
    assert found.missing["reproduction"].startswith("slice(")
