"""Progress is short where it is kept in a log."""

from __future__ import annotations

import pytest

from dldoctor.cli.options import OutputGroup
from dldoctor.cli.progress import PlainLines, line, shown
from dldoctor.progress import Progress


class Clock:
    """Seconds that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_at_most_a_line_every_five_seconds() -> None:
    """A thousand updates in a second are one line."""
    said: list[str] = []
    clock = Clock()
    lines = PlainLines(said.append, clock=clock)
    for batches in range(40):
        lines.update(Progress("reading batches", batches=batches))
        clock.now += 0.5
    assert said == [
        "reading batches",
        "reading batches, 10 batches",
        "reading batches, 20 batches",
        "reading batches, 30 batches",
    ]


def test_several_targets_are_told_apart() -> None:
    """Each line starts with the name of the target."""
    said: list[str] = []
    PlainLines(said.append, name="train").update(Progress("importing torch"))
    assert said == ["train: importing torch"]


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress("importing torch"), "importing torch"),
        (Progress("reading", batches=1, failures=1), "reading, 1 batch, 1 failure"),
        (
            Progress("reading", batches=40, planned=100, failures=3, left_s=4.6, batches_per_s=12.34),
            "reading, 40 of 100 batches, 12.3 batches/s, 3 failures, 5 s left",
        ),
    ],
)
def test_a_line_says_what_is_known(progress: Progress, expected: str) -> None:
    """What is not known is left out."""
    assert line(progress) == expected


def test_in_ci_there_is_no_live_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the runner lends a terminal: the log would be full of redrawn lines."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("CI", "true")
    with shown(OutputGroup()) as update:
        assert isinstance(update.__self__, PlainLines)
