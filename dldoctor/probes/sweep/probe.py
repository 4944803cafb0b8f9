"""Probe ``sweep``: profile, probe, predict, choose, verify; then say what holds."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from dldoctor.child.session import Session
from dldoctor.errors import TargetError
from dldoctor.evidence.sweep import SweepTrial
from dldoctor.probes.sweep.conclude import conclude
from dldoctor.probes.sweep.facts import VARIED, Facts
from dldoctor.probes.sweep.host import allowed
from dldoctor.probes.sweep.measure import RunFailedError
from dldoctor.probes.sweep.measuring import AGAIN_SHARE, Measuring
from dldoctor.probes.sweep.run import STOP_FILE
from dldoctor.sweep import plan as planning
from dldoctor.sweep.choose import Choice, Gain, Paired, choose, gain_of
from dldoctor.sweep.fit import Model, fit
from dldoctor.sweep.limits import load_of
from dldoctor.sweep.model import Setting
from dldoctor.sweep.predict import Prediction, predict
from dldoctor.sweep.profile import Profile
from dldoctor.targets import Pipeline

ROUNDS = 3


def run(pipeline: Pipeline, session: Session) -> None:
    """Sweep the settings of a torch DataLoader, and send what was measured and what follows."""
    if pipeline.torch_loader is None:
        session.missing("sweep", "only the batches of this loader can be seen, so its workers cannot be set")
        return
    _listen(session)
    sweep = Sweep(pipeline, session)
    try:
        sweep.go()
    except RunFailedError as error:
        session.missing("sweep", f"the loader could not be timed ({error})")
    except TargetError as error:
        session.missing("sweep", str(error))


def _listen(session: Session) -> None:
    """Let the runs know when the probe is asked to stop: they are processes of their own."""

    def stop(_signal: int, _frame: object) -> None:
        session.stopping = True
        with open(os.path.join(session.staging, STOP_FILE), "w", encoding="ascii"):
            pass

    signal.signal(signal.SIGTERM, stop)


@dataclass
class Pairs:
    """Runs of two settings in turn."""

    tried: Setting
    before: list[Paired]
    after: list[Paired]

    def gain(self) -> Gain | None:
        """Return the gain over the pairs that are complete."""
        both = min(len(self.before), len(self.after))
        return gain_of(self.before[:both], self.after[:both]) if both else None


class Sweep(Measuring):
    """One sweep, from the first look to the conclusion."""

    def __init__(self, pipeline: Pipeline, session: Session) -> None:
        """Read the options; nothing runs yet."""
        super().__init__(pipeline, session)
        self.model: Model | None = None
        self.predictions: tuple[Prediction, ...] = ()
        self.choice: Choice | None = None
        self.pairs: Pairs | None = None
        self.trials: list[SweepTrial] = []

    def go(self) -> None:
        """Do all of it, as far as the time reaches."""
        if self.check:
            self.measurer.planned = 3
            self._check()
            self._send()
            return
        self._profile()
        self._free()
        self._probes()
        if self.options.get("grid"):
            self._grid()
        self._predict()
        if not self.options.get("grid"):
            self._verify()
            if self.pairs is None and self.consumer.kind != "none":
                for _ in range(2):
                    self._measure("current", self.current, self.plan.verify_s, consumer=True)
        self._vary()
        self._send()

    def _predict(self) -> None:
        self.session.progress(doing="predicting all settings")
        loader_only = [one.probe() for one in self.measurer.runs if not one.with_consumer]
        model = fit(self.profile, loader_only, self.cores, in_order=self.pipeline.spec.in_order)
        self.model = model
        self.predictions = predict(model, self.settings, self.steps(), noise=self.noise())
        able = [one for one in self.predictions if self._load(one.setting) is None]
        self.choice = choose(able, consumer=self.consumer.kind != "none") if able else None

    def _verify(self) -> None:
        """Run the chosen setting against the current one in turn; where the model erred, correct it."""
        if self.choice is None:
            return
        tried: set[Setting] = set()
        for _ in range(ROUNDS):
            pick = self._rival(tried)
            late = bool(tried) and self.measurer.left_s() < 4 * self.plan.verify_s
            if pick is None or self.session.stopping or late:
                return
            tried.add(pick)
            try:
                again = self._compare(pick)
            except RunFailedError as error:
                self.failed, self.pairs, again = str(error), None, False
            if not again:
                return

    def _rival(self, tried: set[Setting]) -> Setting | None:
        """Return what to compare with the current setting: the choice, or what may yet beat it."""
        assert self.choice is not None
        if self.choice.setting != self.current:
            return self.choice.setting if self.choice.setting not in tried else None
        if self.choice.keeps_up or tried:
            return None
        own = next(one for one in self.predictions if one.setting == self.current)
        others = [
            one
            for one in self.predictions
            if one.setting.workers != self.current.workers
            and one.high > 1.05 * own.rate
            and self._load(one.setting) is None
        ]
        return max(others, key=lambda one: one.rate).setting if others else None

    def _compare(self, pick: Setting) -> bool:
        """Run both in turn; return whether the model must be asked again."""
        pairs = self.pairs = Pairs(pick, [], [])
        self.measurer.planned = len(self.measurer.runs) + 4
        self.measurer.again_s = AGAIN_SHARE * self.plan.budget_s
        consumer = self.consumer.kind != "none"
        for which in planning.abba(1):
            if self.session.stopping:
                break
            setting = self.current if which == "current" else pick
            one = self._measure(which, setting, self.plan.verify_s, consumer=consumer)
            (pairs.before if which == "current" else pairs.after).append(one.paired())
        return self._surprised(pick, [one.rate for one in pairs.after])

    def _vary(self) -> None:
        """Try the further settings that were asked for, each in turn with the point that would be taken."""
        gain = self.pairs.gain() if self.pairs else None
        base = self.pairs.tried if self.pairs and gain and gain.shown else self.current
        asked = [(n, v) for n, values in (self.options.get("vary") or {}).items() for v in values]
        self.measurer.planned = len(self.measurer.runs) + 4 * len(asked)
        for name, value in asked:
            pairs = Pairs(base, [], [])
            for which in planning.abba(1):
                if self.session.stopping:
                    return
                extra = {name: value} if which == "pick" else None
                try:
                    one = self._measure(
                        VARIED, base, self.plan.probe_s, consumer=self.consumer.kind != "none", extra=extra
                    )
                except (RunFailedError, TargetError) as error:
                    self.failed = f"{name}={value}: {error}"
                    break
                (pairs.before if which == "current" else pairs.after).append(one.paired())
            found = pairs.gain()
            if found is not None:
                self.trials.append(SweepTrial(name, str(value), found.value, found.low, found.high))

    def _surprised(self, pick: Setting, rates: list[float]) -> bool:
        """Take verification runs that the prediction did not hold as data; whether the choice changes."""
        expected = next((one for one in self.predictions if one.setting == pick), None)
        if expected is None or not rates or self.choice is None:
            return False
        rate = sum(rates) / len(rates)
        if expected.low <= rate <= expected.high or self.consumer.kind != "none":
            return False
        self._predict()
        return self.choice.setting not in (pick, self.current)

    def _send(self) -> None:
        facts = Facts(
            pipeline=self.pipeline,
            current=self.current,
            cores=self.cores,
            ranks=self.ranks,
            consumer=self.consumer,
            steps=self.steps(),
            free=self.free,
            runs=tuple(self.measurer.runs),
            cold=self.cold,
            warm=self.warm,
            profile=self.profile if self.warm else Profile(),
            model=self.model,
            predictions=self.predictions,
            choice=self.choice,
            tried=self.pairs.tried if self.pairs else None,
            gain=self.pairs.gain() if self.pairs else None,
            loads={one: load_of(one, self.needs, allowed(self.session.limits)) for one in self.settings}
            if self.warm
            else {},
            noise=self.noise(),
            check=self.check,
            seconds=self.session.elapsed_s(),
            trials=tuple(self.trials),
        )
        self.session.evidence("sweep", conclude(facts))
        if self.session.stopping:
            self.session.cut("interrupted")
        if self.failed:
            self.session.cut(f"a setting could not be timed and was left out ({self.failed})")
        if self.cold.get("failed") or self.measurer.errors:
            why = self.cold.get("error") or self.measurer.errors[0]["error"]
            self.session.cut(f"samples or batches that raised were left out of the timing ({why})")
