"""For pytest: the fixtures `dldoctor` and `dldoctor_target`, and a marker that says what loaders are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dldoctor.config import TargetConfig
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


@dataclass(frozen=True)
class NamedTarget:
    """What the fixture `dldoctor_target` gives: one target that the config file names."""

    entry: TargetConfig
    options: dict[str, Any]
    """From ``@pytest.mark.dldoctor(...)``; they go before what the file says, an option of a call before them."""

    @property
    def name(self) -> str:
        """Its name in the config file."""
        return self.entry.name

    def checkup(self, **options: Any) -> Report:
        """Return the report of its checkup, in an interpreter of its own as on the command line."""
        from dldoctor.in_python import checkup_named

        return checkup_named(self.entry, **{**self.options, **options})

    def assert_healthy(self, **options: Any) -> Report:
        """Fail the test with the findings where its checkup has some at the level that fails, or worse."""
        __tracebackhide__ = True
        from dldoctor.errors import UnhealthyError
        from dldoctor.in_python import assert_named_healthy

        try:
            return assert_named_healthy(self.entry, **{**self.options, **options})
        except UnhealthyError as found:
            pytest.fail(str(found), pytrace=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "dldoctor(role=..., task=..., ignore=[...], ...): what the loaders of a test are for; options of the "
        "fixtures `dldoctor` and `dldoctor_target`.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `dldoctor_target` once for each target that the config file names."""
    if "dldoctor_target" not in metafunc.fixturenames:
        return
    from pathlib import Path

    from dldoctor.config import find, load
    from dldoctor.errors import ConfigError

    place = find(metafunc.config.rootpath)
    try:
        config = load(place, folder=Path.cwd())
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error
    if not config.targets:
        where = place or f"no config file above {metafunc.config.rootpath}"
        raise pytest.UsageError(
            f"{metafunc.function.__name__} asks for `dldoctor_target`: {where} names no target"
        )
    metafunc.parametrize(
        "dldoctor_target", config.targets, ids=[one.name for one in config.targets], indirect=True
    )


@pytest.fixture
def dldoctor(request: pytest.FixtureRequest) -> Doctor:
    """The doctor for data pipelines: ``dldoctor.assert_healthy(loader, role="train")``."""
    return Doctor(_marked(request), name=request.node.name)


@pytest.fixture
def dldoctor_target(request: pytest.FixtureRequest) -> NamedTarget:
    """Each target of the config file in turn: ``dldoctor_target.assert_healthy()``."""
    return NamedTarget(request.param, _marked(request))


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options of the test's markers, those of the nearest before the others."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("dldoctor"))):
        options |= marker.kwargs
    return options
