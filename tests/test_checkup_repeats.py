"""A checkup of a healthy sample pipeline passes each time, with ``--fail-on warning``."""

from __future__ import annotations

import pytest

from benchmarks.checkup_repeats import SAMPLES, checkup

pytest.importorskip("skimage")
REPEATS = 5
BUDGET_S = 4.0


@pytest.mark.slow
@pytest.mark.each_time
@pytest.mark.timeout(400)  # twenty interpreters that import torch, on a machine that may be busy
@pytest.mark.parametrize("name", SAMPLES)
def test_a_healthy_sample_passes_each_time(name: str) -> None:
    """Nothing above `info`, whatever chance and a busy machine do."""
    runs = [checkup(name, BUDGET_S) for _ in range(REPEATS)]
    assert [(run.status, run.said) for run in runs] == [(0, "")] * REPEATS
