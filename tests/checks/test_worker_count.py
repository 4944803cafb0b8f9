"""DL705, DL710, DL701 and DL903 on hand-made evidence: one sweep, judged by each."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.budget_missed import BudgetMissed
from dldoctor.checks.consumer_starved import ConsumerStarved
from dldoctor.checks.in_memory_rows import InMemoryRows
from dldoctor.checks.noisy_machine import NoisyMachine
from dldoctor.checks.worker_count import WorkerCount
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.sweep import (
    SweepConsumer,
    SweepEvidence,
    SweepGain,
    SweepPoint,
    SweepRates,
    SweepRun,
)
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Set", "loader")
FOUR = {"num_workers": 4, "prefetch_factor": 2}
BETTER = SweepEvidence(
    rates=SweepRates(loader=16.0, loader_low=15.5, loader_high=16.5),
    points=(
        SweepPoint(0, None, 16.2, 15.0, 17.4, measured=16.0, bottleneck="workers"),
        SweepPoint(4, 2, 61.0, 55.0, 67.0, measured=60.0),
    ),
    recommended=FOUR,
    gain=SweepGain(2.75, 2.5, 3.0, 4, 2),
    verdict="change",
    current={"num_workers": 0},
    batch_cpu_ns=1_000_000,
    batch_blocked_ns=60_000_000,
    batch_size=4,
    cores=2.0,
)
MEMORY = replace(
    BETTER,
    points=(SweepPoint(0, None, measured=5000.0), SweepPoint(2, 2, measured=600.0)),
    recommended={"num_workers": 0},
    gain=SweepGain(7.3, 6.9, 7.8, 0),
    current={"num_workers": 2, "prefetch_factor": 2},
    in_memory=True,
    batch_cpu_ns=160_000,
    batch_blocked_ns=0,
    hand_over_ns=1_400_000,
)
STARVED = replace(
    BETTER,
    verdict="cores-full",
    gain=None,
    recommended={"num_workers": 0},
    rates=SweepRates(loader=16.0, consumer=50.0),
    consumer=SweepConsumer("simulated", 20_000_000),
    wait_share=0.68,
    wait_low=0.66,
    wait_high=0.7,
)


def told(
    check: object, sweep: SweepEvidence, intent: Intent = Intent(), spec: LoaderSpec = SPEC
) -> list[tuple[str, str]]:
    evidence = Evidence(loader=spec, sweep=sweep)
    return [
        (one.status, one.reason) if isinstance(one, Unjudged) else (one.level.value, one.message)
        for one in check.judge(Case(evidence, intent))  # type: ignore[attr-defined]
    ]


def test_a_better_setting_is_told_with_both_rates_and_the_gain() -> None:
    assert told(WorkerCount(), BETTER) == [
        (
            "warning",
            (
                "4 workers with prefetch 2 give 60 batches/s where no workers give 16 batches/s: +275% (+250% to "
                "+300%) in paired runs; 98% of a batch's time is waiting for storage, network or a lock"
            ),
        )
    ]
    assert told(InMemoryRows(), BETTER) == [("not-applicable", "the loader has no workers")]


def test_settings_that_the_user_did_not_choose_are_a_note() -> None:
    bare = replace(SPEC, given="dataset")
    assert [level for level, _ in told(WorkerCount(), BETTER, spec=bare)] == ["info"]


def test_in_memory_rows_speak_instead_of_worker_count() -> None:
    assert told(WorkerCount(), MEMORY) == []
    assert told(InMemoryRows(), MEMORY) == [
        (
            "warning",
            (
                "2 workers with prefetch 2 give 600 batches/s and no workers 5,000 batches/s (+730% (+690% to +780%)): "
                "a batch is made in 0.16 ms, and handing it over from a worker costs 1.4 ms"
            ),
        )
    ]


def test_fewer_workers_that_are_faster_for_another_reason_are_a_worker_count() -> None:
    other = replace(MEMORY, in_memory=False)
    assert [level for level, _ in told(WorkerCount(), other)] == ["warning"]
    assert told(InMemoryRows(), other) == []


def test_no_gain_is_silent_and_what_was_not_compared_says_so() -> None:
    assert told(WorkerCount(), replace(BETTER, verdict="keep")) == []
    for verdict in ("too-noisy", "predicted", "check"):
        assert [status for status, _ in told(WorkerCount(), replace(BETTER, verdict=verdict))] == [
            "insufficient-evidence"
        ]


def test_a_consumer_that_waits_is_starved() -> None:
    assert told(ConsumerStarved(), STARVED) == [
        (
            "warning",
            (
                "the simulated consumer waits 68% of the time for data (66% to 70%): it takes 50 batches/s, the "
                "loader gives 16 batches/s; 98% of a batch's time is waiting for storage, network or a lock"
            ),
        )
    ]
    assert [s for s, _ in told(ConsumerStarved(), BETTER)] == ["not-applicable"]


def test_waiting_that_noise_may_explain_is_a_note() -> None:
    assert [s for s, _ in told(ConsumerStarved(), replace(STARVED, wait_share=0.08, wait_low=0.02))] == [
        "info"
    ]
    assert told(ConsumerStarved(), replace(STARVED, wait_share=0.02, wait_low=0.01)) == []


def test_disturbed_runs_are_told_louder_where_nothing_could_be_recommended() -> None:
    run = SweepRun("probe", 0, None, foreign_cores=1.5, runqueue_share=0.4, impact=0.3, disturbed=True)
    noisy = replace(BETTER, runs=(run, run), noisy=True)
    assert [s for s, _ in told(NoisyMachine(), noisy)] == ["info"]
    assert [s for s, _ in told(NoisyMachine(), replace(noisy, recommended=None))] == ["warning"]
    assert told(NoisyMachine(), replace(noisy, noisy=False)) == []


def test_budgets_are_judged_by_the_sweep() -> None:
    """68% of waiting against 5%, and 64 samples a second against 60 and 200."""
    found = told(
        BudgetMissed(),
        replace(STARVED, rates=BETTER.rates),
        Intent(budgets={"data-wait": 0.05, "samples-per-s": 60}),
    )
    assert found == [
        ("error", "budget `data-wait` (at most 0.05) is missed: measured 0.68 (0.66 to 0.7)"),
    ]
    missed = told(BudgetMissed(), BETTER, Intent(budgets={"samples-per-s": 200}))
    assert missed == [("error", "budget `samples-per-s` (at least 200) is missed: measured 64 (62 to 66)")]
    open_ = told(BudgetMissed(), BETTER, Intent(budgets={"data-wait": 0.1}))
    assert [status for status, _ in open_] == ["insufficient-evidence"]


def test_a_loader_that_gives_many_times_what_is_taken_starves_nobody() -> None:
    """What is waited for is the hand-over; a faster loader would not help."""
    found = replace(
        STARVED,
        rates=SweepRates(loader=343.0, consumer=19.9),
        wait_share=0.063,
        wait_low=0.055,
        wait_high=0.067,
    )
    assert told(ConsumerStarved(), found) == [
        (
            "info",
            (
                "the simulated consumer waits 6.3% of the time for data (5.5% to 6.7%): it takes 19.9 batches/s, the "
                "loader gives 343 batches/s; it waits for the hand-over of batches, not for their making"
            ),
        )
    ]
