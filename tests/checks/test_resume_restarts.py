"""DL118 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.resume_restarts import ResumeRestarts
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import ResumeEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "StatefulDataLoader", "Rows", "loader")
RIGHT = ResumeEvidence(3, "ids", ("12, 13", "14, 15"), ("12, 13", "14, 15"))


def judge(measured: ResumeEvidence) -> list[object]:
    return list(ResumeRestarts().judge(Case(Evidence(loader=SPEC, resume=measured))))


def test_ids_that_come_and_ids_that_should_are_told() -> None:
    """An error: the run showed it."""
    (found,) = judge(replace(RIGHT, delivered=("0, 1", "2, 3"), from_start=True))
    assert found.level is Level.ERROR
    assert found.message == (
        "stopped after 3 batches and continued from its state, the loader goes on elsewhere: samples [0, 1] come,"
        " the first batch of the epoch again, where [12, 13] should"
    )


def test_content_is_compared_where_there_are_no_ids() -> None:
    """Digests are no text to show."""
    (found,) = judge(replace(RIGHT, by="content", delivered=("a", "b")))
    assert found.message.endswith("another batch comes than without the stop")


def test_nothing_after_the_stop_is_wrong_too() -> None:
    """The loader thinks that its epoch is over."""
    (found,) = judge(replace(RIGHT, delivered=()))
    assert "nothing comes" in found.message


def test_the_right_place_is_clean_and_failure_not_judged() -> None:
    """Nor an epoch that was over."""
    assert judge(RIGHT) == []
    assert judge(replace(RIGHT, failed="x")) == [
        insufficient("the loader could not be stopped and continued: x")
    ]
    assert judge(replace(RIGHT, expected=())) == [
        insufficient("the epoch ended before anything could follow")
    ]
