"""What tests of several parts share."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def found_or_skipped(what: str, *names: str) -> str:
    """Return the path of a program; without it skip, or fail where everything is required."""
    for name in names:
        if path := shutil.which(name):
            return path
    reason = f"no {what} on this machine (looked for {', '.join(names)})"
    if os.environ.get("REQUIRE_ALL") == "1":
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
