"""Fitting and predicting on loaders whose truth is simulated."""

from __future__ import annotations

import math
from random import Random

import pytest

from dldoctor.sweep.choose import choose
from dldoctor.sweep.fit import Model, Probe, fit, predicted_rate
from dldoctor.sweep.model import Host, Setting, Steps
from dldoctor.sweep.predict import best_of_cores, ceilings, predict
from dldoctor.sweep.profile import Profile, samples_wanted, variation
from dldoctor.sweep.simulate import simulate

SURFACE = tuple(Setting(w, p) for w in (0, 1, 2, 3, 4, 6, 8) for p in ((1, 2, 4) if w else (0,)))


def profile(cpu: float, wait: float, spread: float = 0.3, seed: int = 1) -> Profile:
    """Samples with a mean, and a spread as wide as that of photographs."""
    rng = Random(seed)
    draws = [max(0.05, rng.gauss(1, spread)) for _ in range(300)]
    return Profile(tuple((cpu * d, wait * d) for d in draws), 8, ((0.0002, 0.0),))


def truth(setting: Setting, model: Model, steps: Steps, factor: float) -> float:
    """What a long run would measure, were the world as the model with this factor."""
    work = model.profile.draw(Random(99), 1000, factor, model.extra_s if setting.workers else 0.0)
    return simulate(work, setting, steps, model.host).rate(setting.credits + 6)


def probed(model: Model, factor: float, settings: tuple[Setting, ...]) -> list[Probe]:
    """Probes that measured that world."""
    cpu = (model.profile.mean[0] + model.extra_s) * factor
    return [
        Probe(
            one,
            truth(one, model, Steps(), factor),
            0.02,
            worker_cpu_s=cpu if one.workers else None,
            main_cpu_s=model.host.receive_s if one.workers else cpu,
        )
        for one in settings
    ]


@pytest.mark.parametrize(("cpu", "wait"), [(0.002, 0.0), (0.0005, 0.004), (0.00005, 0.005), (0.001, 0.001)])
@pytest.mark.parametrize("step", [0.0, 0.02])
def test_four_probes_predict_the_surface(cpu: float, wait: float, step: float) -> None:
    """Within 6% in the median, and 90% of the points inside their intervals."""
    real = Model(profile(cpu, wait), Host(2, 0.0003), 0.0005)
    probes = probed(real, 1.1, (Setting(0, 0), Setting(1, 2), Setting(2, 2), Setting(8, 2)))
    model = fit(profile(cpu, wait, seed=2), probes, 2.0)
    steps = Steps((step,)) if step else Steps()
    errors, held = [], 0
    for one in predict(model, SURFACE, steps):
        rate = truth(one.setting, real, steps, 1.1)
        errors.append(abs(math.log(one.rate / rate)))
        held += one.low <= rate <= one.high
    assert sorted(errors)[len(errors) // 2] < 0.06
    assert held >= 0.9 * len(SURFACE)


def test_an_anchor_meets_the_rate_of_its_probe() -> None:
    """The factor on the work makes the simulated rate the measured one."""
    probe = Probe(Setting(2, 2), 50.0, 0.02)
    model = fit(profile(0.002, 0.002), [probe], 2.0)
    factor, _ = model.factor(2)
    assert predicted_rate(model, probe.setting, Steps(), factor) == pytest.approx(50.0, rel=0.02)


def test_far_from_every_probe_the_spread_grows() -> None:
    """At the probe it is the model's own; three doublings away it is larger."""
    model = fit(profile(0.002, 0.002), [Probe(Setting(1, 2), 30.0, 0.01)], 2.0)
    assert model.factor(1)[1] < model.factor(2)[1] < model.factor(8)[1]


def test_the_ceilings_name_the_bottleneck() -> None:
    """16 ms of CPU a batch: one worker is too few, eight are too many for two cores."""
    model = Model(profile(0.002, 0.0, spread=0.0), Host(2), 0.0)
    few, many = ceilings(model, Setting(1, 2), Steps()), ceilings(model, Setting(8, 2), Steps())
    assert few.workers < few.cores
    assert many.cores < many.workers
    assert best_of_cores(model, Steps()) == pytest.approx(many.cores)


def test_the_smallest_setting_that_keeps_the_consumer_busy_is_chosen() -> None:
    """40 ms of waiting a batch and a step of 30 ms: two workers; without a consumer as many as there are."""
    model = Model(profile(0.0, 0.005, spread=0.1), Host(2), 0.0, ())
    anchored = fit(model.profile, probed(model, 1.0, (Setting(0, 0), Setting(1, 2), Setting(8, 2))), 2.0)
    picked = choose(predict(anchored, SURFACE, Steps((0.03,))), consumer=True)
    assert picked.keeps_up
    assert picked.setting.workers == 2
    fastest = choose(predict(anchored, SURFACE, Steps()), consumer=False)
    assert not fastest.keeps_up
    assert fastest.setting.workers == 8


def test_a_flat_surface_gives_its_smallest_setting() -> None:
    """Two full cores: more than two or three workers bring nothing, and all of them are named as equal."""
    model = Model(profile(0.002, 0.0), Host(2), 0.0)
    probes = probed(model, 1.0, (Setting(0, 0), Setting(1, 2), Setting(2, 2)))
    found = choose(predict(fit(model.profile, probes, 2.0), SURFACE, Steps()), consumer=False)
    assert found.setting.workers in (2, 3)
    assert {one.workers for one in found.equal} >= {3, 4, 6}


def test_heavier_tails_ask_for_more_samples() -> None:
    """64 samples of even cost are enough; a tail asks for all that are allowed."""
    assert samples_wanted(variation([1.0] * 50)) == 64
    assert samples_wanted(variation([1.0] * 49 + [100.0])) == 2000
