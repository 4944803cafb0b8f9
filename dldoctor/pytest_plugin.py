"""For pytest: the fixture `dldoctor`, and a marker that says what the loaders of a test are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dldoctor.report import Report


@dataclass(frozen=True)
class Doctor:
    """What the fixture gives: a checkup, and an assertion, with the options of the test's markers."""

    options: dict[str, Any]
    """From ``@pytest.mark.dldoctor(...)``; an option of a call goes before them."""
    name: str
    """Stands for the loader in the report."""

    def checkup(self, target: Any, **options: Any) -> Report:
        """Return the report of a checkup of a live loader; see `dldoctor.checkup`."""
        from dldoctor.in_python import checkup

        return checkup(target, **{"name": self.name, **self.options, **options})

    def assert_healthy(self, target: Any, **options: Any) -> Report:
        """Fail the test with the findings where a checkup has some; see `dldoctor.assert_healthy`."""
        __tracebackhide__ = True
        from dldoctor.errors import UnhealthyError
        from dldoctor.in_python import assert_healthy

        try:
            return assert_healthy(target, **{"name": self.name, **self.options, **options})
        except UnhealthyError as found:
            pytest.fail(str(found), pytrace=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "dldoctor(role=..., task=..., ignore=[...], ...): what the loaders of a test are for; options of the "
        "fixture `dldoctor`.",
    )


@pytest.fixture
def dldoctor(request: pytest.FixtureRequest) -> Doctor:
    """The doctor for data pipelines: ``dldoctor.assert_healthy(loader, role="train")``."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("dldoctor"))):
        options |= marker.kwargs
    return Doctor(options, name=request.node.name)
