"""What a sweep measures before it predicts: costs of samples, the consumer alone, and the probes."""

from __future__ import annotations

import os
import time
from typing import Any

from dldoctor.child.fork import FAULT_OF_OURS, RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.cores import cores_allowed
from dldoctor.probes.sweep.consumer import ConsumerSpec, spec_of
from dldoctor.probes.sweep.costs import measure_costs
from dldoctor.probes.sweep.host import allowed
from dldoctor.probes.sweep.measure import Measured, Measurer, RunFailedError, die_alike
from dldoctor.probes.sweep.run import Order
from dldoctor.probes.sweep.setting import apply, current_setting
from dldoctor.probes.sweep.step import replay
from dldoctor.sweep import plan as planning
from dldoctor.sweep.limits import Needs, load_of
from dldoctor.sweep.model import Setting, Steps
from dldoctor.sweep.profile import Profile
from dldoctor.targets import Pipeline

AGAIN_SHARE = 0.1
"""Share of the time that may go to repeating disturbed probes, and again to repeating paired runs."""
SLOW_BATCH_S = 2.0
_REPLAYED = 8


class Measuring:
    """Makes the runs of a sweep; what follows from them is decided by the class that extends it."""

    def __init__(self, pipeline: Pipeline, session: Session) -> None:
        """Read the options; nothing runs yet."""
        options = session.request.options
        self.pipeline, self.session, self.options = pipeline, session, options
        self.check = bool(options.get("check"))
        default = planning.CHECK_SECONDS if self.check else planning.DEFAULT_SECONDS
        self.plan = planning.plan(session.limits.time_budget_s or default)
        self.ranks = session.limits.ranks or 1
        self.cores = max(0.25, cores_allowed() / self.ranks)
        self.consumer = spec_of(options, session.intent)
        self.current = current_setting(pipeline)
        self.measurer = Measurer(pipeline, session, time.perf_counter() + self.plan.budget_s)
        self.cold: dict[str, Any] = {}
        self.warm: dict[str, Any] = {}
        self.free: dict[str, Any] | None = None
        self.watched = False
        self.failed = ""

    def _check(self) -> None:
        """Measure the current setting alone: with the consumer, and without where a rate is asked for."""
        self._free()
        consumers = [True] if self.consumer.kind != "none" else []
        if not consumers or "samples-per-s" in self.session.intent.budgets:
            consumers.append(False)
        self.measurer.planned = 2 * len(consumers)
        self.measurer.again_s = AGAIN_SHARE * self.plan.budget_s
        for consumer in consumers * 2:
            self._measure("current", self.current, self.plan.budget_s / 6, consumer=consumer)

    def _profile(self) -> None:
        self.session.progress(doing="reading the first samples, cold", left_s=self.plan.budget_s)
        self.cold = self._costs(self.plan.profile_s, None)
        if not (self.cold["collate"] or self.cold["batches"]):
            raise RunFailedError(self.cold["error"] or "no batch came out of the loader")
        self.session.progress(doing="reading the same samples again, warm")
        self.warm = self._costs(self.plan.profile_s * 1.5, self.cold["read"])
        if not (self.warm["collate"] or self.warm["batches"]):
            self.warm = self.cold
        cpu, wait = self.profile.mean
        self.watched = cpu + wait > SLOW_BATCH_S

    def _costs(self, seconds: float, most: int | None) -> dict[str, Any]:
        try:
            found: dict[str, Any] = run_in_fork(
                self.session.staging, lambda: measure_costs(self.pipeline, self.session, seconds, most)
            )
        except RunDiedError as error:
            if error.code == FAULT_OF_OURS and str(error).startswith("Traceback"):
                raise
            die_alike(error.code)
        return found

    @property
    def profile(self) -> Profile:
        """The costs that the predictions draw from: those of the warm pass, as all later runs are."""
        found = self.warm
        sizes = found["sizes"]
        return Profile(
            tuple((c, w) for c, w in found["samples"]),
            round(sum(sizes) / len(sizes)) if sizes else 1,
            tuple((c, w) for c, w in found["collate"]),
            tuple((c, w) for c, w in found["batches"]),
        )

    def _free(self) -> None:
        """Run the consumer over batches that are there already."""
        if self.consumer.kind == "none":
            return
        self.session.progress(doing="the consumer alone, over batches read before")

        def alone() -> dict[str, Any]:
            apply(self.pipeline, Setting(0, 0))
            kept = []
            for batch in self.pipeline.loader:
                kept.append(batch)
                if len(kept) >= _REPLAYED:
                    break
            return replay(self.consumer, kept, 0.05 * self.plan.budget_s) if kept else {}

        self.free = run_in_fork(self.session.staging, alone) or None

    def _probes(self) -> None:
        budget = self.plan.probe_s
        self.measurer.again_s = AGAIN_SHARE * self.plan.budget_s
        blocked = self.profile.blocked_share
        # Nothing beyond what is asked for, nor beyond what the machine can hold.
        most = min(self._most_workers(), max(one.workers for one in self.settings))
        settings = [Setting(0, 0), *planning.probes(self.cores, most)]
        for setting in settings:
            self._try("probe", setting, budget)
        if not self.measurer.runs:
            raise RunFailedError(self.failed)
        crowded = self.measurer.runs[-1]
        busy = crowded.found.get("own_cores", 0.0) / self.cores
        wide = planning.wide_probe(self.cores, most, blocked=blocked, busy_share=busy)
        if wide is not None:
            self._try("probe", wide, budget)
        if not any(one.setting == self.current and not one.with_consumer for one in self.measurer.runs):
            self._measure("current", self.current, budget)

    def _try(self, what: str, setting: Setting, seconds: float) -> None:
        """Make a run that the sweep can do without."""
        try:
            self._measure(what, setting, seconds)
        except RunFailedError as error:
            self.failed = str(error)

    def _most_workers(self) -> int:
        """Return the most workers that the machine can hold with one batch each, at most 64."""
        needs, host = self.needs, allowed(self.session.limits)
        fits = [w for w in range(1, 65) if load_of(Setting(w, 2), needs, host).refused is None]
        return max(fits, default=0)

    def _measure(
        self,
        what: str,
        setting: Setting,
        seconds: float,
        *,
        consumer: bool = False,
        extra: dict[str, Any] | None = None,
    ) -> Measured:
        order = Order(
            what,
            setting,
            self.consumer if consumer else ConsumerSpec(),
            seconds,
            self.cores,
            extra,
            watched=self.watched,
            affinity=self._affinity(),
        )
        return self.measurer.run(order)

    def _affinity(self) -> tuple[int, ...]:
        """Return the cores of one rank, where several share the host and each has one at least."""
        if self.ranks == 1 or self.cores < 1 or not hasattr(os, "sched_getaffinity"):
            return ()
        return tuple(sorted(os.sched_getaffinity(0)))[: int(self.cores)]

    def _grid(self) -> None:
        """Measure every point, forwards and then backwards, so that drift strikes all alike."""
        settings = [one for one in self.settings if self._load(one) is None]
        self.measurer.planned = len(self.measurer.runs) + 2 * len(settings)
        for setting in [*settings, *reversed(settings)]:
            if self.session.stopping:
                return
            self._measure("grid", setting, self.plan.probe_s, consumer=self.consumer.kind != "none")

    @property
    def needs(self) -> Needs:
        """What one loader takes, as far as it was seen."""
        runs = [one.found for one in self.measurer.runs]
        costs = self.warm or self.cold
        return Needs(
            _mean(costs.get("batch_bytes", [])),
            _mean(costs.get("tensor_bytes", [])),
            _mean(costs.get("storages", [])),
            max((one["worker_bytes"] for one in runs), default=0.0),
            max((one["main_bytes"] for one in runs), default=0.0),
            min((one["descriptors"] for one in runs), default=0),
        )

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The points of the surface."""
        return planning.surface(
            self.cores,
            self.current,
            blocked=self.profile.blocked_share,
            workers=self.options.get("workers") or (),
            prefetches=self.options.get("prefetch") or (),
        )

    def _load(self, setting: Setting) -> str | None:
        return load_of(setting, self.needs, allowed(self.session.limits)).refused

    def steps(self) -> Steps:
        """Return the consumer as it was carried out alone."""
        if self.free is None:
            return Steps()
        return Steps(tuple(self.free["steps"]), self.free["host_s"])

    def noise(self) -> float:
        """Return the part of a run's time that foreign work usually took."""
        return _median([one.impact for one in self.measurer.runs])


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
