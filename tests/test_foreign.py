"""Objects whose attributes raise are looked past, wherever a walk meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.foreign import attribute, has
from dldoctor.intent import Limits, TargetOptions
from dldoctor.request import Request
from dldoctor.targets import resolve

LOADERS = Path(__file__).parent / "unwilling_objects.py"


class Down:
    def __getattr__(self, name: str) -> Any:
        raise ConnectionError(name)

    @property
    def shape(self) -> tuple[int, ...]:
        raise OSError("closed")


def test_what_raises_is_not_there() -> None:
    """Whatever it raises, on the way of a property or of `__getattr__`."""
    assert [attribute(Down(), "shape", ()), attribute(Down(), "client")] == [(), None]
    assert [has(Down(), "shape"), has(Down(), "client"), has(Down(), "__dict__")] == [False, False, True]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["make_loader", "make_loader_of_samples"])
def test_no_probe_fails_over_them(name: str) -> None:
    """In the dataset, its class, its module, the collate function, and in the samples themselves."""
    request = Request("checkup", TargetOptions(f"{LOADERS}:{name}"), limits=Limits(time_budget_s=90.0))
    report = diagnose(request, launcher=fork_caller(lambda asked: resolve(asked.target)))
    assert [one.traceback for one in report.faults] == []
    assert [one.rule for one in report.findings if one.level.rank == 0] == []
