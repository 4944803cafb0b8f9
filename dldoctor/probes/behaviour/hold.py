"""Holds one source of difference still, in a fresh interpreter, before the user's code is imported."""

from __future__ import annotations

import datetime as dt
import os
import random
import secrets
import time
from multiprocessing.process import BaseProcess
from typing import Any

from dldoctor.finding import SourceRef
from dldoctor.probes.frames import is_first_party, shown_path

MOMENT = 1_700_000_000.0
STEP_S = 0.001


def hold(what: str, seed: int) -> None:
    """Hold `what` (``entropy`` or ``clock``) still in this process and its forks."""
    if what == "entropy":
        _hold_entropy(seed)
    elif what == "clock":
        _hold_clock()


def _hold_entropy(seed: int) -> None:
    """Let everything that would seed itself from the system seed itself from `seed`."""
    import torch

    source, own = random.Random(seed), random.seed  # noqa: S311 - the point is that it repeats
    _exchange(os, "urandom", source.randbytes)
    _exchange(random, "_urandom", source.randbytes)  # what SystemRandom calls
    _exchange(secrets, "token_bytes", lambda count=None: source.randbytes(count or 32))

    class Random(random.Random):
        """Seeds itself alike in each process where no seed is given."""

        def __init__(self, given: Any = None) -> None:
            super().__init__(seed if given is None else given)

    _exchange(random, "Random", Random)
    _exchange(random, "seed", lambda given=None, version=2: own(seed if given is None else given, version))
    _exchange(torch, "seed", lambda: torch.manual_seed(seed).initial_seed())


def _hold_clock() -> None:
    """Let the clock that tells the date go on by a fixed step a call; waiting uses another one."""
    now = [MOMENT]

    def tick() -> float:
        now[0] += STEP_S
        return now[0]

    _exchange(time, "time", tick)
    _exchange(time, "time_ns", lambda: int(tick() * 1e9))

    class Held(dt.datetime):
        """A date and time from the held clock."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(tick(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(tick(), dt.UTC).replace(tzinfo=None)

    _exchange(dt, "datetime", Held)


def note_starts(found: list[SourceRef]) -> None:
    """Add to `found` each statement outside of functions that starts a process from now on."""
    import sys

    original = BaseProcess.start

    def start(process: BaseProcess) -> None:
        frame: Any = sys._getframe(1)  # noqa: SLF001 - the stack is the point
        while frame is not None:
            code = frame.f_code
            if code.co_name == "<module>" and is_first_party(code.co_filename):
                found.append(SourceRef(shown_path(code.co_filename), frame.f_lineno))
                break
            frame = frame.f_back
        original(process)

    _exchange(BaseProcess, "start", start)


def _exchange(owner: Any, name: str, stand_in: Any) -> None:
    setattr(owner, name, stand_in)
