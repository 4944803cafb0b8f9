"""Epochs after the first: when they are run, and what they add."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dldoctor.intent import Limits
from dldoctor.probes.collect.timing import LEAST, TimeCollector
from dldoctor.probes.profile import repeated
from dldoctor.probes.profile.run import Delivery, Run


@pytest.fixture
def epochs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Count the further epochs of a loader with so many batches and two workers; each takes a tenth of a second."""

    def count(delivered: int, *, seconds: float = 30.0, elapsed_s: float = 0.5, **limits: Any) -> int:
        first = Run("envelope", started_ns=0, ended=True)
        first.deliveries = [Delivery(at, 0, 0, 100_000_000, None) for at in range(delivered)]

        def follow(loader: Any, run: Run, *_: Any, **__: Any) -> None:
            run.ended = True

        monkeypatch.setattr(repeated, "follow", follow)
        monkeypatch.setattr(repeated, "timeline", lambda run, names, in_order: [1])
        spec = SimpleNamespace(num_workers=2, prefetch_factor=2)
        pipeline: Any = SimpleNamespace(loader=None, spec=spec)
        session: Any = SimpleNamespace(
            limits=Limits(**limits), stopping=False, elapsed_s=lambda: elapsed_s, staging=Path()
        )
        return len(list(repeated.further(pipeline, session, first, lambda _: False, None, seconds)))  # type: ignore[arg-type]

    return count


def test_few_batches_are_timed_over_several_epochs(epochs: Any) -> None:
    """Ten batches, of which four come from a cold window: one more epoch; enough of them, or none that counts: none."""
    assert [epochs(n) for n in (4, 6, 10, 18)] == [0, 4, 1, 0]


def test_no_epoch_is_added_that_was_not_asked_for_or_has_no_room(epochs: Any) -> None:
    """Limits of the user's stay, and half of the time is left for what comes after."""
    assert [epochs(10, batches=10), epochs(10, samples=80), epochs(10, epochs=2)] == [0, 0, 0]
    assert epochs(10, seconds=1.0) == 0


def test_a_rate_is_told_from_the_batches_of_all_epochs() -> None:
    """Six of each of two epochs."""
    collector = TimeCollector(4)
    for _ in range(10):
        collector.add(1_000_000, 8, 0)
    assert collector.rate() is None
    for _ in range(LEAST - 6):
        collector.count(1_000_000, 8)
    rate = collector.rate()
    assert rate is not None
    assert rate.value == pytest.approx(8000)
