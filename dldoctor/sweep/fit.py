"""From the profile and a few measured rates to a model of the loader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from dldoctor.sweep.model import Host, Setting, Steps
from dldoctor.sweep.profile import Profile
from dldoctor.sweep.simulate import simulate

MODEL_ERROR = 0.04
"""Standard deviation, in logarithms, of what the model leaves out even where it was anchored."""
BETWEEN = 0.04
"""What is added half a doubling of the workers away from the nearest probe."""
SEEDS = 6
_ROUNDS = 3
_FLAT = 0.02


@dataclass(frozen=True)
class Probe:
    """One measured run."""

    setting: Setting
    rate: float
    half: float
    """Half the relative width of the rate's 90% interval."""
    steps: Steps = field(default_factory=Steps)
    worker_cpu_s: float | None = None
    """CPU time of all workers for each batch; null where the system does not say."""
    main_cpu_s: float | None = None
    """CPU time of the main process for each batch, the consumer's host part taken off."""
    batches: int = 0


@dataclass(frozen=True)
class Anchor:
    """What a probe's rate says about the work there: the factor on all that the loader spends."""

    setting: Setting
    factor: float
    spread: float
    """Standard deviation of its logarithm, from the probe's own interval."""
    tight: bool = True
    """The rate bounds the work from both sides; false where something else was the limit."""


@dataclass(frozen=True)
class Model:
    """All that a prediction needs."""

    profile: Profile
    host: Host
    extra_s: float
    """CPU time that a worker spends on a batch beyond the profile: serialising, queues, shared memory."""
    anchors: tuple[Anchor, ...] = ()

    def factor(self, workers: int) -> tuple[float, float]:
        """Return the factor on the work at so many workers, and the spread of its logarithm.

        Between probes it is interpolated over the logarithm of the workers; beyond the last it is
        kept, and the spread grows with the distance.
        """
        known = sorted(
            {a.setting.workers: a for a in self.anchors if (a.setting.workers > 0) == (workers > 0)}.items()
        )
        if not known:
            return 1.0, MODEL_ERROR + 2 * BETWEEN
        if workers == 0:
            return known[0][1].factor, math.hypot(MODEL_ERROR, known[0][1].spread)
        at = math.log2(workers)
        points = [(math.log2(w), math.log(a.factor), a.spread) for w, a in known]
        lower = [p for p in points if p[0] <= at] or points[:1]
        upper = [p for p in points if p[0] >= at] or points[-1:]
        (x0, y0, s0), (x1, y1, s1) = lower[-1], upper[0]
        part = (at - x0) / (x1 - x0) if x1 > x0 else 0.0
        value = y0 + part * (y1 - y0)
        far = min(abs(at - p[0]) for p in points)
        spread = math.sqrt(
            MODEL_ERROR**2
            + (2 * BETWEEN * far) ** 2
            + max(s0, s1) ** 2
            + (y1 - y0) ** 2 * part * (1 - part) / 4
        )
        return math.exp(value), spread


def fit(profile: Profile, probes: Sequence[Probe], cores: float, *, in_order: bool = True) -> Model:
    """Return the model: costs as CPU times, then one factor a probe that meets its rate."""
    profile = profile.pooled()
    own, _ = profile.mean
    receive = _least([p.main_cpu_s for p in probes if p.setting.workers])
    alone = _least([p.worker_cpu_s for p in probes if p.setting.workers == 1])
    crowded = _least([p.worker_cpu_s for p in probes if p.setting.workers >= max(2, math.floor(cores))])
    extra = max(0.0, (alone if alone is not None else own) - own)
    inflation = 1.0
    if alone and crowded and alone > 0:
        inflation = min(1.5, max(1.0, crowded / alone))
    host = Host(cores, receive or 0.0, inflation, in_order)
    model = Model(profile, host, extra)
    anchors = [_anchor(model, probe) for probe in probes]
    return Model(profile, host, extra, tuple(anchors))


def _least(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def _anchor(model: Model, probe: Probe) -> Anchor:
    """Return the factor on the work under which the simulated run has the measured rate."""
    factor, tight = 1.0, True
    for _ in range(_ROUNDS):
        found = predicted_rate(model, probe.setting, probe.steps, factor)
        if found <= 0 or probe.rate <= 0:
            break
        step = found / probe.rate
        if abs(math.log(step)) < _FLAT / 4:
            break
        factor = min(20.0, max(0.05, factor * step))
    slower = predicted_rate(model, probe.setting, probe.steps, factor * 1.1)
    tight = predicted_rate(model, probe.setting, probe.steps, factor) / slower > 1.03
    return Anchor(probe.setting, factor if tight else min(factor, 1.0), probe.half / 1.645, tight)


def predicted_rate(model: Model, setting: Setting, steps: Steps, factor: float) -> float:
    """Return the mean rate over a few draws of the work."""
    rates = []
    for seed in range(SEEDS):
        rng = Random(seed)  # noqa: S311 - drawing again, not secrets
        count = run_length(setting)
        extra = model.extra_s if setting.workers else 0.0
        work = model.profile.draw(rng, count, factor, extra)
        rates.append(simulate(work, setting, steps, model.host).rate(setting.credits + 6))
    return sum(rates) / len(rates)


def run_length(setting: Setting) -> int:
    """Return how many batches a simulated run has."""
    return 240 + 3 * setting.credits
