"""Workers are found wherever they are started, and what follows a failed start is no second failure."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from torch.utils.data import DataLoader

from dldoctor.probes.workers import Workers, describe_loader_error, echoes_failed_start


def forgets(worker: int) -> None:
    raise KeyError("LOCAL_SEED")


def delivered(loader: DataLoader[Any]) -> Iterator[Any]:
    yield from loader


@pytest.mark.slow
def test_workers_of_a_generator_are_found_after_its_first_batch() -> None:
    """Processes of the user's own are none of them."""
    before = Workers.alive_now()
    iterator = delivered(DataLoader(range(8), num_workers=2))  # type: ignore[arg-type]
    workers = Workers(before, iterator)
    own = multiprocessing.get_context("fork").Process(target=time.sleep, args=(0,))
    own.start()
    assert workers.processes == []
    next(iterator)
    assert len(workers.processes) == 2
    assert own not in workers.processes
    own.join()
    del iterator


@pytest.mark.slow
def test_a_failed_init_fn_is_told_once() -> None:
    """Torch raises it for the first batch of the worker, and for the next ones trips over what is missing."""
    iterator = iter(DataLoader(range(8), num_workers=1, worker_init_fn=forgets))  # type: ignore[arg-type]
    kinds = []
    for _ in range(3):
        try:
            next(iterator)
        except (KeyError, UnboundLocalError) as error:
            kinds.append((describe_loader_error(error)["kind"], echoes_failed_start(error)))
    assert kinds == [("KeyError", False), ("UnboundLocalError", True), ("UnboundLocalError", True)]


@pytest.mark.slow
def test_workers_of_ended_epochs_leave_no_pipe_open() -> None:
    """Each handle that somebody keeps holds two."""
    loader: DataLoader[Any] = DataLoader(range(4), num_workers=2)  # type: ignore[arg-type]
    opened = []
    for _ in range(5):
        iterator = delivered(loader)
        workers = Workers(Workers.alive_now(), iterator)
        assert len(list(iterator)) == 4
        assert len(workers.processes) == 2
        del workers, iterator
        opened.append(sum(one.startswith("pipe:") for one in _descriptors()))
    assert opened[-1] <= opened[1] + 2


def _descriptors() -> list[str]:
    """What is open in this process, but for what was closed while it was looked through."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return found
