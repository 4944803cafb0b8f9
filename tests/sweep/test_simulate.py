"""The two simulations of the loader against each other, and against what can be worked out by hand."""

from __future__ import annotations

from random import Random

import pytest

from dldoctor.sweep.model import Host, Setting, Steps, Work
from dldoctor.sweep.recurrence import recur
from dldoctor.sweep.simulate import events, simulate

ROOMY = Host(cores=64)


def mixed(count: int, seed: int = 0) -> Work:
    """Batches of 1 to 50 ms of CPU, a third of which also wait up to half a second."""
    rng = Random(seed)
    return Work(
        tuple(rng.uniform(0.001, 0.05) for _ in range(count)),
        tuple(rng.choice([0.0, 0.0, 0.5]) * rng.random() for _ in range(count)),
    )


def even(count: int, cpu: float, wait: float = 0.0) -> Work:
    """Batches that all cost the same."""
    return Work((cpu,) * count, (wait,) * count)


@pytest.mark.parametrize("step", [0.0, 0.02, 0.1])
@pytest.mark.parametrize(("workers", "prefetch"), [(1, 1), (1, 2), (2, 1), (3, 2), (8, 4)])
def test_with_a_core_for_everybody_events_and_recurrence_agree(
    workers: int, prefetch: int, step: float
) -> None:
    """Each delivery at the same time, each stall of the same length."""
    work, steps = mixed(400), Steps((step,)) if step else Steps()
    one = recur(work, Setting(workers, prefetch), steps, ROOMY)
    other = events(work, Setting(workers, prefetch), steps, ROOMY)
    assert other.delivered_s == pytest.approx(one.delivered_s, abs=1e-9)
    assert other.stalled_s == pytest.approx(one.stalled_s, abs=1e-9)


def test_without_workers_work_and_step_add_up() -> None:
    """10 ms of work and 30 ms of step are 25 batches a second, a quarter of it waiting."""
    line = simulate(even(100, 0.004, 0.006), Setting(0, 0), Steps((0.03,)), ROOMY)
    assert line.rate(2) == pytest.approx(25)
    assert line.wait_share(2) == pytest.approx(0.25)


def test_workers_that_wait_need_no_cores() -> None:
    """Eight workers on half a core, 100 ms of waiting each: 80 batches a second."""
    line = simulate(even(400, 0.0, 0.1), Setting(8, 2), Steps(), Host(cores=0.5))
    assert line.rate(40) == pytest.approx(80, rel=0.02)


def test_cores_bound_the_rate_whatever_the_workers() -> None:
    """10 ms of CPU a batch on two cores: 200 batches a second, with four workers as with eight."""
    for workers in (4, 8):
        line = simulate(even(600, 0.01), Setting(workers, 2), Steps(), Host(cores=2))
        assert line.rate(60) == pytest.approx(200, rel=0.02)


def test_a_busy_machine_costs_more_for_each_batch() -> None:
    """With 20% of inflation on two full cores, 200 batches a second become 167."""
    line = simulate(even(600, 0.01), Setting(4, 2), Steps(), Host(cores=2, inflation=1.2))
    assert line.rate(60) == pytest.approx(200 / 1.2, rel=0.03)


def test_the_host_part_of_a_step_takes_a_core_from_the_workers() -> None:
    """A step that computes leaves one core of two; a step that waits leaves both."""
    computing, waiting = Steps((0.02,), host_s=0.02), Steps((0.02,))
    work, setting, host = even(400, 0.03), Setting(2, 2), Host(cores=2)
    busy, free = simulate(work, setting, computing, host), simulate(work, setting, waiting, host)
    assert free.rate(20) == pytest.approx(50, rel=0.02)
    assert busy.rate(20) == pytest.approx(40, rel=0.03)  # 50 ms of CPU a batch on two cores


def test_receiving_bounds_the_rate() -> None:
    """5 ms in the main process for each batch are 200 batches a second."""
    host = Host(cores=8, receive_s=0.005)
    assert simulate(even(600, 0.01), Setting(6, 2), Steps(), host).rate(40) == pytest.approx(200, rel=0.02)


def test_a_late_batch_holds_up_the_others_only_in_order() -> None:
    """Every 20th batch takes 40 times as long; taken as they come, they cost their own time alone."""
    work = Work((0.0,) * 800, tuple(0.4 if n % 20 == 7 else 0.01 for n in range(800)))
    kept = simulate(work, Setting(4, 1), Steps(), Host(cores=8))
    loose = simulate(work, Setting(4, 1), Steps(), Host(cores=8, in_order=False))
    assert loose.rate(20) > 1.5 * kept.rate(20)
