"""A part of a probe runs in a fork, and nothing that it starts outlives or blocks it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import psutil
import pytest
import torch
from torch.utils.data import DataLoader

from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.diagnose import diagnose_object
from dldoctor.intent import Limits, TargetOptions
from dldoctor.request import Request

pytestmark = pytest.mark.slow


def _start_sleeper() -> int:
    sleeper = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,))
    sleeper.start()
    return sleeper.pid or 0


def test_a_child_left_behind_is_ended(tmp_path: Path) -> None:
    """Workers of an iterator that nobody closed inherit the pipe that the answer comes by."""
    pid = run_in_fork(str(tmp_path), _start_sleeper)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_workers_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    """A fork has its parent's list of children; the loader of a user's own process goes on."""
    loader = DataLoader(range(64), batch_size=4, num_workers=2, persistent_workers=True)  # type: ignore[arg-type]
    batches = iter(loader)
    first = next(batches)
    assert run_in_fork(str(tmp_path), lambda: 1) == 1
    assert torch.cat([first, *batches]).tolist() == list(range(64))


def test_a_live_loader_goes_on_after_it_was_examined() -> None:
    """With the workers that it had, and at the batch where it stood."""
    loader = DataLoader(range(64), batch_size=4, num_workers=2, persistent_workers=True)  # type: ignore[arg-type]
    batches = iter(loader)
    first = next(batches)
    workers = {one.pid for one in multiprocessing.active_children()}
    request = Request("check-workers", TargetOptions("<numbers>"), limits=Limits(time_budget_s=20.0))
    report = diagnose_object(loader, request)
    assert report.faults == ()
    assert torch.cat([first, *batches]).tolist() == list(range(64))
    assert workers <= {one.pid for one in multiprocessing.active_children()}


def test_a_fork_that_is_killed_is_not_waited_for_by_its_children(tmp_path: Path) -> None:
    """The answer ends when the fork does, though its child still holds the pipe."""

    def die() -> None:
        (tmp_path / "pid").write_text(str(_start_sleeper()))
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RunDiedError) as died:
        run_in_fork(str(tmp_path), die)
    assert died.value.code == -signal.SIGKILL
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_a_long_answer_comes_whole(tmp_path: Path) -> None:
    """More than a pipe holds at once."""
    assert run_in_fork(str(tmp_path), lambda: ["x" * 1000] * 1000) == ["x" * 1000] * 1000
