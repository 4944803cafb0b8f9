"""Runs a question of ours in a fork of a process that has already computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dldoctor.child.fork import run_in_fork
from dldoctor.child.session import Session


def asked_aside(session: Session, question: Callable[[], Any]) -> Any:
    """Return what `question` returns in a fork, on one thread: a pool of OpenMP does not outlive a fork."""

    def on_one_thread() -> Any:
        import torch

        torch.set_num_threads(1)
        return question()

    return run_in_fork(session.staging, on_one_thread)
