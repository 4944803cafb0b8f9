"""DL702 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.slow_stage import SlowStage
from dldoctor.evidence.profile import StageShare, WorkerTime
from tests.checks.profiles import PROFILE, judged

SLEEP = StageShare(
    "other",
    40_000_000,
    5_000_000,
    0.9,
    0.85,
    0.95,
    400_000,
    0,
    39_600_000,
    5_000_000,
    0.9,
    "data.py",
    41,
    "ask()",
    "Rows.label",
)


def stages(*found: StageShare, **more: Any) -> list[tuple[str, str, str]]:
    return judged(SlowStage(), replace(PROFILE, stages=found, batch_ns=44_000_000, **more))


def test_names_the_line_and_what_its_time_is_spent_on() -> None:
    """Waiting is told from computing, and the step follows."""
    message = (
        "one part of your code at data.py:41 takes 90% of a batch's time in its worker, 5 ms a sample: 1% computing, "
        "99% waiting for something else; without it a batch would take 4 ms instead of 44 ms"
    )
    advice = "Let more workers wait at the same time (`num_workers`), or read earlier and in larger pieces."
    assert stages(SLEEP) == [("warning", message, advice)]


def test_a_short_or_small_stage_is_no_finding() -> None:
    """At 60%, at 1 ms, or where the interval reaches far below, it is silent."""
    assert stages(replace(SLEEP, share=0.6)) == []
    assert stages(replace(SLEEP, typical_ns=1_000_000)) == []
    assert stages(replace(SLEEP, low=0.4)) == []
    assert stages(replace(SLEEP, typical_share=0.5)) == []


def test_the_level_follows_the_question() -> None:
    """A note in other commands, and where the declared consumer is slower than the loader."""
    found = replace(PROFILE, stages=(SLEEP,))
    assert [one[0] for one in judged(SlowStage(), found, commands=("checkup",))] == ["info"]
    assert [one[0] for one in judged(SlowStage(), found, commands=("checkup",), step_ms=1.0)] == ["warning"]
    assert [one[0] for one in judged(SlowStage(), found, step_ms=500.0)] == ["info"]


FULL = replace(SLEEP, runqueue_ns=30_000_000, blocked_ns=0, cpu_ns=10_000_000)


def test_more_workers_are_not_advised_where_they_fill_the_cores() -> None:
    """What waits for a core has another remedy, and another rule that says so."""
    four = tuple(WorkerTime(number, 5, 40, 0.9, 5_000_000, 0.7) for number in range(4))
    found = replace(PROFILE, stages=(FULL,), batch_ns=44_000_000, num_workers=4, workers=four)
    assert judged(SlowStage(), found) == []


def test_other_programs_are_not_the_fault_of_the_loader() -> None:
    """Two workers on two cores that wait for a core: somebody else has it."""
    two = tuple(WorkerTime(number, 10, 80, 0.9, 5_000_000, 0.7) for number in range(2))
    ((level, message, advice),) = stages(FULL, workers=two)
    assert (level, advice) == ("info", "Profile again while nothing else takes the cores.")
    assert message.endswith("; more runs on this machine than this loader, whose own workers would fit")


def test_few_batches_are_too_little() -> None:
    """Seven batches say nothing."""
    assert stages(SLEEP, batches=7) == [
        ("insufficient-evidence", "7 batches profiled, at least 8 are needed", "")
    ]
