"""Stacks on demand and at a fatal signal, in every process of a run, without privileges."""

from __future__ import annotations

import faulthandler
import os
import signal
from typing import TextIO

STACK_SIGNAL = getattr(signal, "SIGRTMAX", getattr(signal, "SIGUSR2", 0)) - (
    4 if hasattr(signal, "SIGRTMAX") else 0
)
"""A real-time signal that hardly anybody uses; the parent sends it to ask for stacks."""

_open: list[TextIO] = []
"""Files that the handlers write to; a closed one would lose the stack."""


def arm(staging: str) -> None:
    """Write stacks of this process to ``stacks/PID`` on request, and ``stacks/PID.fault`` at a crash.

    Called again in each worker: a fork would go on writing to the file of its parent.
    """
    folder = os.path.join(staging, "stacks")
    os.makedirs(folder, exist_ok=True)
    fault = open(os.path.join(folder, f"{os.getpid()}.fault"), "w", encoding="utf-8")  # noqa: SIM115
    stack = open(os.path.join(folder, str(os.getpid())), "w", encoding="utf-8")  # noqa: SIM115
    _open[:] = [fault, stack]
    faulthandler.enable(file=fault, all_threads=True)
    if STACK_SIGNAL and hasattr(faulthandler, "register"):
        faulthandler.register(STACK_SIGNAL, file=stack, all_threads=True, chain=False)
