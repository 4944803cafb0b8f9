"""The whole surface with its intervals: draw the work and the parameters again, and simulate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from dldoctor.sweep.fit import Model, run_length
from dldoctor.sweep.model import Host, Setting, Steps
from dldoctor.sweep.simulate import simulate

REPLICAS = 12
_Z90 = 1.645
_RECEIVE_SPREAD = 0.10
_EXTRA_SPREAD = 0.20
_STEP_SPREAD = 0.01
_OWN = 0.5
"""Part of the model error that each setting has on its own; the rest moves all of them together."""


@dataclass(frozen=True)
class Prediction:
    """One point of the surface."""

    setting: Setting
    rate: float
    low: float
    high: float
    """The 90% interval."""
    wait_share: float
    """Share of the time that the consumer waits for data."""
    wait_high: float
    """Its 90% quantile: with that confidence it is no more."""
    bottleneck: str
    """``workers``, ``cores``, ``hand-over``, ``order`` or ``consumer``."""
    rates: tuple[float, ...] = ()
    """One a replica, the same draws for every setting, so that settings can be compared in pairs."""


@dataclass(frozen=True)
class Ceilings:
    """What each resource alone would allow, in batches per second."""

    workers: float
    cores: float
    hand_over: float
    consumer: float


def ceilings(model: Model, setting: Setting, steps: Steps) -> Ceilings:
    """Return the bounds that hold whatever the order of events is."""
    factor, _ = model.factor(setting.workers)
    cpu, wait = model.profile.mean
    cpu, wait = factor * (cpu + (model.extra_s if setting.workers else 0.0)), factor * wait
    step = max(steps.mean_s, steps.host_s)
    if not setting.workers:
        return Ceilings(_per(cpu + wait), _per(cpu + steps.host_s), math.inf, _per(step))
    main = model.host.receive_s + steps.host_s
    return Ceilings(
        setting.workers * _per(cpu + wait),
        model.host.cores * _per(model.host.inflation * cpu + main),
        _per(main),
        _per(step),
    )


def best_of_cores(model: Model, steps: Steps) -> float:
    """Return the rate with as many workers as it takes, if only the cores bound it."""
    known = [a for a in model.anchors if a.setting.workers]
    factor = min((a.factor for a in known), default=1.0)
    cpu = model.profile.mean[0] * factor + model.extra_s
    main = model.host.receive_s + steps.host_s
    return min(model.host.cores * _per(model.host.inflation * cpu + main), _per(main))


def predict(
    model: Model, settings: Sequence[Setting], steps: Steps, *, noise: float = 0.0
) -> tuple[Prediction, ...]:
    """Return a prediction for each setting; `noise` widens all intervals by what disturbed the runs."""
    return tuple(_point(model, setting, steps, noise) for setting in settings)


def _point(model: Model, setting: Setting, steps: Steps, noise: float) -> Prediction:
    factor, spread = model.factor(setting.workers)
    spread = math.hypot(spread, noise)
    rates, waits = [], []
    for replica in range(REPLICAS):
        # Each draw is made twice, with its errors mirrored: the centre is then free of their chance.
        pair, mirror = replica // 2, 1 if replica % 2 else -1
        rng = Random(1000 + pair)  # noqa: S311 - drawing again, not secrets
        common, receive, extra, step = (rng.gauss(0, 1) for _ in range(4))
        own = Random(f"{pair} {setting.workers} {setting.prefetch}").gauss(0, 1)  # noqa: S311
        shift = mirror * spread * (math.sqrt(1 - _OWN**2) * common + _OWN * own)
        more = model.extra_s * max(0.0, 1 + _EXTRA_SPREAD * extra) if setting.workers else 0.0
        work = model.profile.draw(rng, run_length(setting), factor * math.exp(shift), more)
        host = Host(
            model.host.cores,
            model.host.receive_s * max(0.0, 1 + _RECEIVE_SPREAD * receive),
            model.host.inflation,
            model.host.in_order,
        )
        line = simulate(work, setting, _scaled(steps, 1 + _STEP_SPREAD * step), host)
        rates.append(line.rate(setting.credits + 6))
        waits.append(line.wait_share(setting.credits + 6))
    centre, low, high = _log_interval(rates)
    return Prediction(
        setting,
        centre,
        low,
        high,
        sum(waits) / len(waits),
        sorted(waits)[math.ceil(0.9 * len(waits)) - 1],
        _bottleneck(ceilings(model, setting, steps), centre, setting),
        tuple(rates),
    )


def _log_interval(rates: Sequence[float]) -> tuple[float, float, float]:
    logs = [math.log(max(rate, 1e-12)) for rate in rates]
    mean = sum(logs) / len(logs)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in logs) / (len(logs) - 1))
    return math.exp(mean), math.exp(mean - _Z90 * deviation), math.exp(mean + _Z90 * deviation)


def _scaled(steps: Steps, factor: float) -> Steps:
    return Steps(tuple(factor * one for one in steps.step_s), steps.host_s) if steps.step_s else steps


def _bottleneck(bounds: Ceilings, rate: float, setting: Setting) -> str:
    if not setting.workers:  # making a batch and consuming it take turns; the longer of both is to blame
        return "consumer" if bounds.consumer < bounds.workers else "workers"
    named = {
        "consumer": bounds.consumer,
        "cores": bounds.cores,
        "hand-over": bounds.hand_over,
        "workers": bounds.workers,
    }
    name, least = min(named.items(), key=lambda item: item[1])
    return "order" if least > 1.25 * rate and name != "consumer" else name


def _per(seconds: float) -> float:
    return 1 / seconds if seconds > 0 else math.inf
