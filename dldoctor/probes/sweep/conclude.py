"""From runs and predictions to the evidence that is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dldoctor.cores import cores_seen
from dldoctor.evidence.sweep import (
    SweepConsumer,
    SweepEvidence,
    SweepGain,
    SweepPoint,
    SweepRates,
)
from dldoctor.probes.sweep.facts import Facts
from dldoctor.probes.sweep.measure import DISTURBED, Measured
from dldoctor.sweep.blocks import mean_interval
from dldoctor.sweep.choose import IDLE_SHARE, settle
from dldoctor.sweep.model import Setting, Steps
from dldoctor.sweep.predict import Prediction, best_of_cores

FULL = 0.85
"""Share of what the cores allow from which on they count as full."""
CLOSE = 0.10
"""How far the current rate may lie from the best before more workers count as a remedy."""
MEMORY_COST = 1.0
"""A batch is made in memory where handing it over costs this many times what making it does."""
NOISY_SHARE = 1 / 3


def conclude(facts: Facts) -> SweepEvidence:
    """Return the evidence."""
    waits = _waits(facts)
    verdict, taken = _verdict(facts, waits)
    cpu, wait = facts.profile.mean
    hand_over = _hand_over(facts)
    return SweepEvidence(
        rates=_rates(facts),
        points=tuple(_points(facts)),
        recommended=_arguments(taken) if taken is not None else None,
        gain=_gain(facts),
        verdict=verdict,
        current=_arguments(facts.current),
        consumer=_consumer(facts),
        runs=tuple(one.evidence() for one in facts.runs),
        equal=tuple((s.workers, s.prefetch) for s in facts.choice.equal) if facts.choice else (),
        keeps_up=bool(facts.choice and facts.choice.keeps_up and taken == facts.choice.setting),
        cores=facts.cores,
        cores_seen=cores_seen(),
        ranks=facts.ranks,
        batch_size=facts.pipeline.spec.batch_size,
        batch_bytes=round(_mean(facts.warm.get("batch_bytes", []))),
        batch_cpu_ns=round(cpu * 1e9),
        batch_blocked_ns=round(wait * 1e9),
        cold_ns=_pass_ns(facts.cold),
        warm_ns=_pass_ns(facts.warm) if facts.warm is not facts.cold else None,
        in_memory=bool(facts.warm) and hand_over >= MEMORY_COST * (cpu + wait),
        hand_over_ns=round(hand_over * 1e9),
        threads=facts.warm.get("threads"),
        trials=facts.trials,
        seconds=round(facts.seconds, 1),
        noise=facts.noise,
        noisy=_noisy(facts),
        wait_share=waits[0] if waits else None,
        wait_low=waits[1] if waits else None,
        wait_high=waits[2] if waits else None,
    )


def _verdict(facts: Facts, waits: tuple[float, float, float] | None) -> tuple[str, Setting | None]:
    noisy = _noisy(facts)
    if facts.check:
        return "check", None if noisy else facts.current
    if facts.choice is None:
        return "keep", facts.current
    satisfied = waits is not None and waits[0] <= IDLE_SHARE
    full = _cores_full(facts)
    if facts.tried is None or facts.gain is None:
        if noisy and not _clear(facts):
            return "too-noisy", None
        if facts.choice.setting != facts.current:
            return "predicted", facts.choice.setting
        return ("cores-full" if full and not satisfied else "keep"), facts.current
    return settle(facts.current, facts.tried, facts.gain, cores_full=full, satisfied=satisfied, noisy=noisy)


def _clear(facts: Facts) -> bool:
    """Whether the current setting is the best even if every interval erred against it."""
    own = facts.predicted(facts.current)
    if own is None or facts.choice is None or facts.choice.setting != facts.current:
        return False
    others = [p for p in facts.predictions if p.setting.workers != facts.current.workers]
    return all(one.high < own.low for one in others) and not facts.loads[facts.current].refused


def _noisy(facts: Facts) -> bool:
    disturbed = [one for one in facts.runs if one.impact > DISTURBED]
    return len(disturbed) > NOISY_SHARE * len(facts.runs)


def _cores_full(facts: Facts) -> bool:
    """Whether the best rate is near what the cores allow, and the current one near the best."""
    if facts.model is None or not facts.predictions:
        return False
    best = max(one.rate for one in facts.predictions)
    limit = best_of_cores(facts.model, facts.steps)
    own = facts.predicted(facts.current)
    return best >= FULL * limit and own is not None and own.rate >= (1 - CLOSE) * best


def _rates(facts: Facts) -> SweepRates:
    now = facts.of(facts.current, consumer=False)
    steps = facts.steps
    return SweepRates(
        loader=_mean([one.rate for one in now]) if now else None,
        consumer=1 / steps.mean_s if steps.step_s and steps.mean_s > 0 else None,
        cores=_finite(best_of_cores(facts.model, Steps())) if facts.model else None,
        free=facts.free["rate"] if facts.free else None,
        loader_low=_low(now),
        loader_high=_high(now),
    )


def _points(facts: Facts) -> list[SweepPoint]:
    predicted = {one.setting: one for one in facts.predictions}
    settings = sorted({*predicted, *([facts.current] if facts.check else [])})
    return [_point(facts, setting, predicted.get(setting)) for setting in settings]


def _point(facts: Facts, setting: Setting, found: Prediction | None) -> SweepPoint:
    runs = facts.of(setting, consumer=facts.has_consumer)
    load = facts.loads.get(setting)
    rates = [one.rate for one in runs]
    shares = [one.found["wait_share"] for one in runs if one.found.get("wait_share") is not None]
    utilisation = [one.found["gpu"] for one in runs if one.found.get("gpu") is not None]
    wait = _mean(shares) if shares else found.wait_share if found else None
    return SweepPoint(
        num_workers=setting.workers,
        prefetch_factor=setting.prefetch or None,
        predicted=found.rate if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        measured=_mean(rates) if rates else None,
        wait_share=wait if facts.has_consumer else None,
        gpu_utilization=_mean(utilisation) if utilisation else None,
        measured_low=_low(runs),
        measured_high=_high(runs),
        bottleneck=found.bottleneck if found else "",
        memory_bytes=load.memory_bytes if load else None,
        shm_bytes=load.shm_bytes if load else None,
        descriptors=load.descriptors if load else None,
        refused=load.refused if load else None,
    )


def _gain(facts: Facts) -> SweepGain | None:
    if facts.gain is None or facts.tried is None:
        return None
    gain = facts.gain
    return SweepGain(
        gain.value, gain.low, gain.high, facts.tried.workers, facts.tried.prefetch or None, gain.pairs
    )


def _consumer(facts: Facts) -> SweepConsumer:
    kind: Any = facts.consumer.kind
    source = facts.consumer.step if kind == "step" else "--step-ms" if kind == "simulated" else ""
    return SweepConsumer(
        kind,
        round(facts.steps.mean_s * 1e9),
        round(facts.steps.host_s * 1e9),
        source,
        (facts.free or {}).get("device", "") if facts.has_consumer else "",
    )


def _waits(facts: Facts) -> tuple[float, float, float] | None:
    """Return the share of waiting under the current setting, with its interval over blocks of runs."""
    runs = facts.of(facts.current, consumer=True)
    shares = [one.found["wait_share"] for one in runs if one.found.get("wait_share") is not None]
    if not shares:
        own = facts.predicted(facts.current) if facts.has_consumer else None
        return (own.wait_share, 0.0, own.wait_high) if own else None
    other = max(one.impact for one in runs)
    blocks = [share for one in runs for share in one.found.get("wait_blocks", [])]
    value = _mean(shares)
    if len(blocks) < 3:
        return value, max(0.0, min(shares) - other), max(shares)
    _, low, high = mean_interval(blocks)
    # What foreign work took may have been waited for as well.
    return value, max(0.0, min(low, value) - other), min(1.0, max(high, value))


def _hand_over(facts: Facts) -> float:
    """Return the CPU time that a batch costs more with a worker than without."""
    alone = [
        one.found["worker_cpu_s"] + one.found["main_cpu_s"]
        for one in facts.runs
        if one.setting.workers == 1 and one.found.get("worker_cpu_s") is not None
    ]
    bare = [
        one.found["main_cpu_s"]
        for one in facts.runs
        if one.setting.workers == 0 and "main_cpu_s" in one.found
    ]
    return max(0.0, min(alone) - min(bare)) if alone and bare else 0.0


def _pass_ns(found: dict[str, Any]) -> int | None:
    """Return the mean time of a batch in one pass over the samples."""
    if not found:
        return None
    parts = [*found["samples"], *found["collate"], *found["batches"]]
    batches = max(1, len(found["collate"]) or len(found["batches"]))
    return int(sum(cpu + wait for cpu, wait in parts) / batches * 1e9)


def _arguments(setting: Setting) -> dict[str, Any]:
    if not setting.workers:
        return {"num_workers": 0}
    return {"num_workers": setting.workers, "prefetch_factor": setting.prefetch}


def _low(runs: Sequence[Measured]) -> float | None:
    """Return the low end of all runs together; two means are too few for an interval of their own."""
    return min((float(one.found["low"]) for one in runs), default=None)


def _high(runs: Sequence[Measured]) -> float | None:
    """Return the high end: foreign work can only have slowed a run down, by its impact at most."""
    return max((float(one.found["high"]) / max(0.05, 1 - one.impact) for one in runs), default=None)


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
