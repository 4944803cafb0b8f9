"""The experiments whose outcome chance could decide come out alike each time."""

from __future__ import annotations

import pytest

from dldoctor.rules import find
from tests.test_zoo import examine, told

RANDOMISED = (
    ("worker_rng_duplicated", "broken"),
    ("worker_rng_duplicated", "broken_coin"),
    ("worker_rng_duplicated", "healthy_modern_numpy"),
    ("epoch_rng_repeated", "broken"),
    ("workers_change_data", "broken"),
    ("workers_change_data", "fixed"),
)
MORE_TIMES = 2
"""Beside the one time in the test of the zoo."""


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(MORE_TIMES))
@pytest.mark.parametrize(("name", "function"), RANDOMISED)
def test_the_verdict_does_not_depend_on_luck(name: str, function: str, turn: int) -> None:
    """The planted bug is found, and nothing else; its twin is silent."""
    report = examine(name, function)
    loud = {one.rule for one in report.findings if one.level.value != "info"}
    assert loud == ({find(name.replace("_", "-")).rule} if function.startswith("broken") else set()), told(
        report
    )
