"""Makes the runs, one fork each; repeats those that other work disturbed; keeps what they gave."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from dldoctor.child.fork import FAULT_OF_OURS, RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.sweep import SweepRun
from dldoctor.probes.sweep.run import Order, run_order
from dldoctor.sweep.choose import Paired
from dldoctor.sweep.fit import Probe
from dldoctor.sweep.model import Setting, Steps
from dldoctor.targets import Pipeline

TRIES = 3
DISTURBED = 0.05
"""Part of a run's time that foreign work may take before the run is made again."""
_PAUSE_S = 0.5


class RunFailedError(Exception):
    """The user's loader cannot be run under a setting; the text says why."""


@dataclass(frozen=True)
class Measured:
    """One run that counts."""

    setting: Setting
    with_consumer: bool
    what: str
    found: dict[str, Any]
    tries: int

    @property
    def rate(self) -> float:
        """Batches per second."""
        return float(self.found["rate"])

    @property
    def impact(self) -> float:
        """Part of the run's time that foreign work took, at most."""
        return float(self.found.get("impact") or 0.0)

    def probe(self) -> Probe:
        """Return the run as the fit takes it."""
        found = self.found
        half = (found["high"] - found["low"]) / 2 / found["rate"]
        steps = Steps(tuple(found["steps"]), found["step_host_s"]) if self.with_consumer else Steps()
        return Probe(
            self.setting,
            self.rate,
            half + self.impact,
            steps,
            found.get("worker_cpu_s"),
            found.get("main_cpu_s"),
            found["batches"],
        )

    def paired(self) -> Paired:
        """Return the run as half of a pair."""
        half = (self.found["high"] - self.found["low"]) / 2 / self.rate
        return Paired(self.rate, half, self.impact)

    def evidence(self) -> SweepRun:
        """Return the run as the report shows it."""
        found = self.found
        return SweepRun(
            what=self.what,
            num_workers=self.setting.workers,
            prefetch_factor=self.setting.prefetch or None,
            rate=found["rate"],
            low=found["low"],
            high=found["high"],
            batches=found["batches"],
            seconds=round(found["seconds"], 3),
            wait_share=found.get("wait_share") if self.with_consumer else None,
            foreign_cores=found.get("foreign", 0.0),
            runqueue_share=found.get("queued", 0.0),
            impact=self.impact,
            own_cores=found.get("own_cores", 0.0),
            tries=self.tries,
            disturbed=self.impact > DISTURBED,
            startup_ns=round(found["startup_s"] * 1e9),
            consumer=self.with_consumer,
        )


class Measurer:
    """Makes the runs of one sweep and remembers them all."""

    def __init__(self, pipeline: Pipeline, session: Session, deadline: float) -> None:
        """The budget ends at `deadline` (of `time.perf_counter`); `again_s` of it may go to repeated runs."""
        self.pipeline, self.session, self.deadline = pipeline, session, deadline
        self.runs: list[Measured] = []
        self.planned = 6
        self.again_s = 0.0
        self.errors: list[dict[str, Any]] = []

    def left_s(self) -> float:
        """Return the seconds left of the budget."""
        return self.deadline - time.perf_counter()

    def run(self, order: Order) -> Measured:
        """Run one order; again, while other work disturbs it and there is time.

        Raises:
            RunFailedError: the loader gave too few batches to time.
        """
        best: Measured | None = None
        for attempt in range(1, TRIES + 1):
            found = self._once(order)
            one = Measured(order.setting, order.consumer.kind != "none", order.what, found, attempt)
            best = one if best is None or one.impact < best.impact else best
            best = replace(best, tries=attempt)
            if one.impact <= DISTURBED or self.again_s < found["seconds"] or self.session.stopping:
                break
            self.again_s -= found["seconds"] + _PAUSE_S
            time.sleep(_PAUSE_S)
        assert best is not None
        self.runs.append(best)
        return best

    def _once(self, order: Order) -> dict[str, Any]:
        number = len(self.runs) + 1
        self.planned = max(self.planned, number)
        doing = f"run {number} of about {self.planned} ({order.what}, {_workers(order.setting)})"
        order = replace(order, doing=doing, left_s=max(0.0, self.left_s()))
        self.session.note("run", str(order.setting))
        self.session.progress(doing=doing, left_s=order.left_s)
        try:
            found: dict[str, Any] = run_in_fork(
                self.session.staging, lambda: run_order(self.pipeline, self.session, order)
            )
        except RunDiedError as error:
            if error.code == FAULT_OF_OURS and str(error).startswith("Traceback"):
                raise
            die_alike(error.code)
        self.errors += found["errors"]
        for worker, pid, code in found["dead"][:4]:
            self.session.channel.send("death", worker=worker, pid=pid, code=code, phase=self.session.phase)
        if found["rate"] is None:
            why = found["errors"][0]["error"] if found["errors"] else "too few batches came within the time"
            raise RunFailedError(f"{_workers(order.setting)}: {why}")
        return found


def _workers(setting: Setting) -> str:
    if not setting.workers:
        return "no workers"
    return f"{setting.workers} worker{'s' if setting.workers > 1 else ''}, prefetch {setting.prefetch}"


def die_alike(code: int) -> NoReturn:
    """End this process as the run ended: the parent then tells where, and at which sample."""
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code > 0 else 1)
