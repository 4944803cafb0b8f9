"""All that one sweep knows when it concludes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.sweep import SweepTrial
from dldoctor.probes.sweep.consumer import ConsumerSpec
from dldoctor.probes.sweep.measure import Measured
from dldoctor.sweep.choose import Choice, Gain
from dldoctor.sweep.fit import Model
from dldoctor.sweep.limits import Load
from dldoctor.sweep.model import Setting, Steps
from dldoctor.sweep.predict import Prediction
from dldoctor.sweep.profile import Profile
from dldoctor.targets import Pipeline

VARIED = "vary"
"""Runs with another setting than workers and prefetch changed as well; they are no point of the surface."""


@dataclass(frozen=True)
class Facts:
    """All that one sweep knows."""

    pipeline: Pipeline
    current: Setting
    cores: float
    ranks: int
    consumer: ConsumerSpec
    steps: Steps
    free: dict[str, Any] | None
    runs: tuple[Measured, ...]
    cold: dict[str, Any]
    warm: dict[str, Any]
    profile: Profile
    model: Model | None
    predictions: tuple[Prediction, ...]
    choice: Choice | None
    tried: Setting | None
    gain: Gain | None
    loads: dict[Setting, Load]
    noise: float
    check: bool
    seconds: float
    trials: tuple[SweepTrial, ...] = ()

    @property
    def has_consumer(self) -> bool:
        """Whether something takes the batches."""
        return self.consumer.kind != "none"

    def of(self, setting: Setting, *, consumer: bool) -> list[Measured]:
        """Return the runs of a setting, with or without the consumer."""
        return [
            r for r in self.runs if r.setting == setting and r.with_consumer == consumer and r.what != VARIED
        ]

    def predicted(self, setting: Setting) -> Prediction | None:
        """Return the prediction of a setting."""
        return next((p for p in self.predictions if p.setting == setting), None)
