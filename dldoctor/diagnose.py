"""The arrow: target, probe, evidence, check, finding, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.report import Report


@dataclass(frozen=True)
class Request:
    """One command on one target, as the command line or the Python API asks for it."""

    command: str
    """``dry-run``, ..."""
    target: TargetOptions
    intent: Intent = Intent()
    limits: Limits = Limits()
    python: str | None = None
    """Interpreter that runs the user's code; null for this one."""
    select: tuple[str, ...] = ()
    """Rules to judge: numbers, names, prefixes; empty means all."""
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Progress:
    """Where a run stands; sent a few times a second."""

    phase: str
    """What is being done, as a short phrase (``importing torch``, ``reading batches``)."""
    batches: int = 0
    planned: int | None = None
    samples: int = 0
    failures: int = 0
    elapsed_s: float = 0.0
    left_s: float | None = None
    """Estimate of the time left; null where it is not known."""
    batches_per_s: float | None = None


OnProgress = Callable[[Progress], None]


def diagnose(request: Request, on_progress: OnProgress = lambda _: None) -> Report:
    """Run the probes of a command on a target in a child process, judge, and return the report."""
    raise NotImplementedError
