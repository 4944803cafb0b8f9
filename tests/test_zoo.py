"""Every planted bug gives its rule and no other; every clean twin and look-alike is silent."""

from __future__ import annotations

import contextlib
import gc
import importlib
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch  # noqa: F401 - loaded once, so that forks need not

from dldoctor.child import fresh
from dldoctor.child.holder import probes
from dldoctor.child.launch import fork_caller
from dldoctor.commands import COMMANDS, COMPARE
from dldoctor.compare_targets import compare_targets
from dldoctor.diagnose import diagnose
from dldoctor.finding import Level
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.probes.sharding import ranks
from dldoctor.report import Report
from dldoctor.request import Request
from dldoctor.rules import find
from tests.warm_interpreters import warm_interpreters

probes()  # these too
pytestmark = pytest.mark.slow
ZOO = Path(__file__).parent / "zoo"
TIMED = ("DL7", "DL9")
PAIR = ("train", "eval")
"""Loaders of a case whose rule holds two against each other."""
MODULES = sorted(path.stem for path in ZOO.glob("*.py") if not path.stem.startswith("_"))


@pytest.fixture(autouse=True, scope="module")
def set_aside() -> Iterator[None]:
    """Keep the collector from what pytest and torch hold: each fork would look through it, and copy its pages."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def warm_ranks() -> Iterator[None]:
    """Let simulated ranks find torch imported."""
    with warm_interpreters(ranks):
        yield


@pytest.fixture(scope="module")
def warm_runs() -> Iterator[None]:
    """The same for interpreters that load the target again, each with the hash seed that it asks for."""
    with contextlib.ExitStack() as warm:
        for seed in (None, "1", "2"):
            warm.enter_context(warm_interpreters(fresh, hash_seed=seed))
        yield


@pytest.fixture(autouse=True)
def surroundings(request: pytest.FixtureRequest) -> None:
    """Start what the cases of this rule need."""
    rule = request.node.callspec.params["name"]
    if "check-sharding" in find(rule.replace("_", "-")).by:
        request.getfixturevalue("warm_ranks")
    elif rule in ("not_reproducible", "resume_restarts", "main_guard"):
        request.getfixturevalue("warm_runs")


def cases(prefix: str) -> list[Any]:
    """Return ``(module, function)`` of all functions whose name begins with `prefix`."""
    found = []
    for name in MODULES:
        module = importlib.import_module(f"tests.zoo.{name}")
        functions = [one for one in vars(module) if one == prefix or one.startswith(f"{prefix}_")]
        # Where time is the question, another test on the other core would be part of the answer.
        timed = find(name.replace("_", "-")).rule.startswith(TIMED)
        marks = [pytest.mark.serial] if timed else []
        found += [pytest.param(name, one, id=f"{name}-{one}", marks=marks) for one in functions]
    return found


def examine(name: str, function: str) -> Report:
    """Run dry-run's probes, and those of the rule's own commands, in a fork that has torch loaded."""
    module = importlib.import_module(f"tests.zoo.{name}")
    by = find(name.replace("_", "-")).by
    commands = () if "dry-run" in by else tuple(one for one in by if one in COMMANDS)
    request = Request(
        "dry-run",
        TargetOptions(f"{ZOO / name}.py:{function}"),
        intent=Intent(**getattr(module, "INTENT", {})),
        limits=Limits(**getattr(module, "LIMITS", {})),
        options=getattr(module, "OPTIONS", {}),
    )

    def load(asked: Any) -> Any:
        from dldoctor.targets import resolve

        # pytest turns warnings into errors; a user's interpreter does not.
        warnings.resetwarnings()
        return resolve(asked.target)

    if by == (COMPARE.name,):
        sides = [
            replace(request, command=COMPARE.name, target=replace(request.target, loader_key=key))
            for key in PAIR
        ]
        return compare_targets(*sides, lambda side: diagnose(side, launcher=fork_caller(load)))
    return diagnose(request, launcher=fork_caller(load), also=commands)


def loud(report: Report, own: str = "") -> set[str]:
    """Return the rules with a finding above `info`; those of time and machine only on their `own` cases."""
    return {
        one.rule
        for one in report.findings
        if one.level is not Level.INFO and (one.rule == own or not one.rule.startswith(TIMED))
    }


def told(report: Report) -> list[tuple[str, str, str]]:
    """Return what the findings say, for a failing test to show."""
    return [(one.level.value, one.rule, one.message) for one in report.findings]


@pytest.mark.parametrize(("name", "function"), cases("broken"))
def test_a_planted_bug_gives_exactly_its_rule(name: str, function: str) -> None:
    """The rule of the module speaks, no other does, except those that the module names."""
    module = importlib.import_module(f"tests.zoo.{name}")
    rule = find(name.replace("_", "-"))
    report = examine(name, function)
    assert report.faults == ()
    expected = {rule.rule} | set(getattr(module, "ALSO", set()))
    if rule.level is Level.INFO:
        assert rule.rule in {one.rule for one in report.findings}, told(report)
        assert loud(report, rule.rule) == set(getattr(module, "ALSO", set())), told(report)
    else:
        assert loud(report, rule.rule) == expected, told(report)


@pytest.mark.parametrize(("name", "function"), [*cases("fixed"), *cases("healthy")])
def test_a_clean_twin_is_silent(name: str, function: str) -> None:
    """Nothing above `info`, and the module's own rule was judged or does not apply."""
    rule = find(name.replace("_", "-"))
    report = examine(name, function)
    assert report.faults == ()
    assert loud(report, rule.rule) == set(), told(report)
    status = {one.rule: one for one in report.checks}[rule.rule]
    if function == "fixed":
        assert status.status in ("clean", "finding", "not-applicable"), status
