"""What tests of several parts share."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GATE = os.environ.get("REQUIRE_ALL") == "1"
"""These tests decide whether a change is taken."""

if GATE:
    # A gate gives the same answer to the same code; the search for new examples goes on everywhere else.
    from hypothesis import settings

    settings.register_profile("gate", derandomize=True)
    settings.load_profile("gate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests of real processes a second try at the gate, where a busy machine may end one.

    Each second try is listed at the end of the run: it is a fault of ours, of the test or of the machine, to
    be looked into. Tests that repeat a verdict get none, for they ask whether it is the same each time.
    """
    for item in items if GATE else ():
        real = item.get_closest_marker("slow") or item.get_closest_marker("serial")
        if real and not item.get_closest_marker("each_time"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def found_or_skipped(what: str, *names: str) -> str:
    """Return the path of a program; without it skip, or fail where everything is required."""
    for name in names:
        if path := shutil.which(name):
            return path
    reason = f"no {what} on this machine (looked for {', '.join(names)})"
    if GATE:
        pytest.fail(f"{reason}, and REQUIRE_ALL=1 asks for it")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium that can open a page."""
    return found_or_skipped("Chromium", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def c_compiler() -> str:
    """The path of a C compiler."""
    return found_or_skipped("C compiler", "cc", "gcc", "clang")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT
