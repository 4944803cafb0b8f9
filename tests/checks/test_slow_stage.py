"""DL702 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.slow_stage import SlowStage
from dldoctor.evidence.profile import Attribution, StageShare, WaitPart, WorkerTime
from dldoctor.evidence.trial import Trial
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


def workers(number: int, cores: float) -> tuple[WorkerTime, ...]:
    return tuple(WorkerTime(one, 10, 80, 0.9, 5_000_000, 0.0, cores=cores) for one in range(number))


COMPUTES = replace(SLEEP, stage="decode", cpu_ns=40_000_000, blocked_ns=0)


def advice(*found: StageShare, **more: Any) -> str:
    ((_, _, said),) = stages(*found, **more)
    return said


def test_more_workers_are_advised_where_one_more_would_find_a_core() -> None:
    """On two cores: one that computes leaves one free, two do not; those that wait leave both."""
    assert advice(COMPUTES, num_workers=1, workers=workers(1, 0.95)).startswith("Start more workers")
    assert advice(COMPUTES, workers=workers(2, 0.95)).startswith("Decode less or faster")
    assert advice(SLEEP, workers=workers(2, 0.1)).startswith("Let more workers wait")
    full = advice(SLEEP, workers=workers(2, 0.98))
    assert full == "Read earlier or in larger pieces; the cores are full, and more workers would not help."


def test_a_lock_is_named_from_a_quarter_on() -> None:
    """What is done under the lock is another stage, and more workers would queue."""
    lock = replace(SLEEP, stage="lock", share=0.3, low=0.25, high=0.35, typical_share=0.3)
    ((level, message, said),) = stages(lock)
    assert (level, message.split(" takes ")[0]) == ("warning", "waiting for a lock at data.py:41")
    assert said.startswith("Give each worker a handle of its own")
    assert stages(replace(lock, share=0.2)) == []


ALONE = Trial("alone", 16_000_000, 4_000_000, 4.0, 3.5, 4.5, 24, "sample")


def test_workers_that_wait_for_each_other_need_no_more_of_them() -> None:
    """A sample that waits far less in one process alone waits for the others, whatever they share."""
    said = advice(SLEEP, trials=(ALONE,), workers=workers(2, 0.1))
    assert said.startswith("Find what the workers share")
    assert "alone a sample waits 4 ms instead of 16 ms" in said
    assert advice(SLEEP, trials=(replace(ALONE, low=1.1),)).startswith("Let more workers wait")


def test_a_faster_decoder_is_named_with_its_figure() -> None:
    """The fastest that is so for sure."""
    tried = Trial(
        "decoder", 8_000_000, 4_000_000, 2.0, 1.8, 2.2, 16, "picture", detail="simplejpeg, not Pillow"
    )
    unsure = replace(tried, ratio=3.0, low=0.9, detail="OpenCV, not Pillow")
    assert advice(COMPUTES, trials=(unsure, tried), workers=workers(2, 1.0)) == (
        "Decode with simplejpeg, not Pillow: 4 ms a picture instead of 8 ms, measured on your files (1.8 to 2.2 times as fast)."
    )


def test_threads_of_the_users_own_compute_or_wait() -> None:
    """The process keeps a core busy although the thread that is timed waits."""
    waits = replace(SLEEP, stage="own threads")
    assert advice(waits, workers=workers(2, 0.9)).startswith("Make what these threads compute cheaper")
    assert advice(waits, workers=workers(2, 0.1)).startswith("Start more of these threads")


def test_a_phase_of_the_main_process_is_named_before_a_stage_of_the_workers() -> None:
    """The consumer waits for the sampler, whatever takes most of a worker's time."""
    parts = (WaitPart("sampler", 400_000_000, 0.9, 400_000_000), WaitPart("decode", 40_000_000, 0.1))
    found = Attribution(440_000_000, parts, 0, 440_000_000)
    assert stages(COMPUTES, attribution=found) == [
        (
            "warning",
            "sampler takes 90% of the time that the consumer waits, 20 ms a batch, in the main process, where workers cannot help",
            "Draw the indices of an epoch at once; what the sampler does for each batch, every batch waits for.",
        )
    ]
    short = replace(found, parts=(replace(parts[0], total_ns=10_000_000), parts[1]))
    assert "decode" in stages(COMPUTES, attribution=short)[0][1]


def test_few_batches_are_too_little() -> None:
    """Seven batches say nothing."""
    assert stages(SLEEP, batches=7) == [
        ("insufficient-evidence", "7 batches profiled, at least 8 are needed", "")
    ]
