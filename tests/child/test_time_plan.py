"""Many probes share the time of one run."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from dldoctor.child.request import ChildRequest
from dldoctor.child.time_plan import LEAST_S, TimePlan, least_s, unwanted
from dldoctor.intent import Intent, Limits, TargetOptions

RANDOM, BATCHES = "torch.utils.data.sampler.RandomSampler", "torch.utils.data.sampler.BatchSampler"


def spec(kind: str = "map", workers: int = 2, sampler: str | None = RANDOM, batches: str | None = BATCHES):
    """What is known of a loader."""
    return SimpleNamespace(kind=kind, num_workers=workers, sampler=sampler, batch_sampler=batches)


MAP = spec()
STREAM = spec("iterable", 2, None, None)


def request(
    folder: Path,
    shares: dict[str, float],
    *,
    budget_s: float | None = 60.0,
    ago_s: float = 0.0,
    intent: Intent = Intent(),
    limits: Limits = Limits(),
) -> ChildRequest:
    """A request that was written some time ago."""
    path = folder / "request.json"
    path.write_text("{}")
    os.utime(path, (time.time() - ago_s,) * 2)
    limits = Limits(time_budget_s=budget_s, ranks=limits.ranks)
    return ChildRequest(
        TargetOptions("a.py:b"), intent, limits, tuple(shares) or ("loader",), str(folder), 0, shares=shares
    )


def test_without_shares_a_probe_takes_what_it_needs(tmp_path: Path) -> None:
    """As in every command but a checkup."""
    plan = TimePlan(request(tmp_path, {}))
    plan.loaded(MAP)
    assert plan.slice("loader") is None


def test_time_is_split_by_share_and_what_is_left_over_goes_on(tmp_path: Path) -> None:
    """The second of two equal probes may have all that the first did not use."""
    plan = TimePlan(request(tmp_path, {"loader": 1.0, "labels": 1.0}))
    plan.loaded(MAP)
    first, second = plan.slice("loader"), plan.slice("labels")
    assert first.seconds == pytest.approx(57 / 2, abs=0.5)
    assert second.seconds == pytest.approx(57, abs=0.5)
    assert second.stop_after_s <= 57


def test_what_does_not_fit_is_left_out_with_the_reason(tmp_path: Path) -> None:
    """The first probe runs all the same: an import that takes all the time leaves no empty report."""
    plan = TimePlan(request(tmp_path, {"loader": 1.0, "labels": 1.0}, ago_s=70))
    plan.loaded(MAP)
    assert plan.slice("loader").seconds == LEAST_S
    assert plan.slice("labels") == "the time budget of 60 s had no room for it; `--time-budget` gives more"


def test_probes_that_start_interpreters_need_the_time_of_their_imports(tmp_path: Path) -> None:
    """An import of 25 s, three times, does not fit into what is left of 60."""
    plan = TimePlan(request(tmp_path, {"loader": 1.0, "reproduction": 1.0, "columns": 1.0}, ago_s=25))
    plan.loaded(MAP)
    assert isinstance(plan.slice("reproduction"), str)
    assert not isinstance(plan.slice("columns"), str)


@pytest.mark.parametrize(
    ("probe", "intent", "limits", "loader", "runs"),
    [
        ("sweep", Intent(), Limits(), MAP, False),
        ("sweep", Intent(step_ms=20.0), Limits(), MAP, True),
        ("sharding", Intent(), Limits(), MAP, False),
        ("sharding", Intent(), Limits(ranks=2), MAP, True),
        ("sharding", Intent(), Limits(), STREAM, True),
        ("sharding", Intent(), Limits(), spec("iterable", 1, None, None), False),
        ("sharding", Intent(), Limits(), spec(sampler="torch.utils.data.distributed.DistributedSampler"), True),
        ("sharding", Intent(), Limits(), spec(batches="data.ClassesTimesImages"), True),
        ("sharding", Intent(), Limits(), spec(sampler="data.ByLength"), True),
        ("labels", Intent(), Limits(), MAP, True),
    ],
)  # fmt: skip
def test_what_has_nothing_to_tell_is_left_out(tmp_path, probe, intent, limits, loader, runs) -> None:
    """Speed without a consumer, and ranks that nobody has; a sampler of the user's own is asked what it draws."""
    reason = unwanted(probe, loader, request(tmp_path, {probe: 1.0}, intent=intent, limits=limits))
    assert (reason is None) is runs


def test_code_that_takes_notice_of_ranks_or_epochs_is_compared_without_being_asked(tmp_path: Path) -> None:
    """A map-style loader whose own sampler reads `RANK`, say."""
    plan = TimePlan(request(tmp_path, {"sharding": 1.0}))
    plan.loaded(MAP, shares_out=True)
    assert plan.slice("sharding").seconds > 0


def test_what_is_left_out_takes_no_share(tmp_path: Path) -> None:
    """A sweep that has no consumer leaves its time to the others."""
    plan = TimePlan(request(tmp_path, {"loader": 1.0, "sweep": 99.0}))
    plan.loaded(MAP)
    assert plan.slice("loader").seconds == pytest.approx(57, abs=0.5)
    assert "`--step-ms`" in plan.slice("sweep")


def test_what_a_probe_needs_at_least_grows_with_the_imports_it_makes() -> None:
    """One second, and three times what an interpreter takes to load the target."""
    assert (least_s("columns", 8.0), least_s("reproduction", 8.0)) == (LEAST_S, LEAST_S + 24.0)
