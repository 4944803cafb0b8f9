"""What the loader would deliver without a stage."""

from __future__ import annotations

import pytest

from dldoctor.evidence.profile import StageShare
from dldoctor.evidence.timing import StageTime
from dldoctor.probes.profile.freed import freed
from dldoctor.sweep.model import Setting

MS = 10**6


def stage(name: str, cpu_ms: int = 0, blocked_ms: int = 0) -> StageShare:
    total = (cpu_ms + blocked_ms) * MS
    return StageShare(name, total, total, 0.5, 0.4, 0.6, cpu_ms * MS, 0, blocked_ms * MS, total, 0.5)


def receiving(cpu_ms: int) -> StageTime:
    return StageTime(
        "receive", "deserialise", "", 0, 1.0, cpu_ms * MS, cpu_ms * MS, cpu_ms * MS, 0, 0, "batch"
    )


@pytest.mark.parametrize(
    ("stages", "setting", "cores", "expected"),
    [
        # One process: each stage gives back its own time.
        ([stage("decode", 8), stage("transform", 2)], Setting(0, 0), 8, {"decode": 5.0, "transform": 1.25}),
        # Workers that wait for storage, with cores to spare.
        ([stage("storage read", 0, 10), stage("decode", 1)], Setting(4, 2), 64, {"storage read": 11.0}),
    ],
)  # fmt: skip
def test_what_a_stage_keeps_back(
    stages: list[StageShare], setting: Setting, cores: float, expected: dict[str, float]
) -> None:
    """By what binds: the process, the workers, or the cores."""
    found = {one.stage: one.times for one in freed(stages, [], setting, cores)}
    assert found == pytest.approx(expected, rel=0.03)


def test_waiting_gives_nothing_back_where_the_cores_are_full() -> None:
    """Storage is waited for while others compute."""
    stages = [stage("storage read", 0, 5), stage("decode", 6), stage("collate", 2)]
    found = {one.stage: one.times for one in freed(stages, [], Setting(8, 2), 1)}
    assert list(found) == ["decode", "collate"]
    assert found["decode"] > 3
    assert found["collate"] == pytest.approx(8 / 6, rel=0.1)


def test_the_hand_over_may_be_what_binds() -> None:
    """A faster decoder brings nothing where the main process cannot take more."""
    found = freed([stage("decode", 4)], [receiving(10)], Setting(8, 2), 64)
    assert [one.stage for one in found] == ["deserialise"]
    assert found[0].times == pytest.approx(20, rel=0.05)
