"""DL704 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.cpu_oversubscribed import CpuOversubscribed
from dldoctor.evidence.profile import WorkerTime
from tests.checks.profiles import PROFILE, judged

BUSY = tuple(WorkerTime(worker, 10, 80, 0.9, 5_000_000, 0.5, 4.0) for worker in range(2))


def found(workers: tuple[WorkerTime, ...] = BUSY, **more: Any) -> list[tuple[str, str, str]]:
    return judged(CpuOversubscribed(), replace(PROFILE, workers=workers, **more))


def test_counts_threads_workers_and_cores() -> None:
    """Four threads in each of two workers on two cores."""
    assert [one[:2] for one in found()] == [
        (
            "warning",
            "2 workers with 4 busy threads each run on 2 cores, and wait 50% of their time for a free one",
        )
    ]


def test_many_workers_of_one_thread_are_a_note() -> None:
    """They may be many on purpose."""
    assert [one[0] for one in found(tuple(replace(one, threads=1) for one in BUSY), num_workers=4)] == [
        "info"
    ]


def test_where_nobody_waits_it_is_silent() -> None:
    """Threads that sleep disturb nobody, and neither do as many as there are cores."""
    assert found(tuple(replace(one, runqueue_share=0.1) for one in BUSY)) == []
    assert found(tuple(replace(one, threads=1) for one in BUSY)) == []


def test_a_thread_now_and_then_is_no_second_one() -> None:
    """As many workers as cores, whose thread that sends is at work at times; other programs have the cores."""
    assert found(tuple(replace(one, threads=1.3) for one in BUSY)) == []


def test_without_workers_it_has_no_meaning() -> None:
    """There is only the main process."""
    assert [one[0] for one in found(num_workers=0)] == ["not-applicable"]
