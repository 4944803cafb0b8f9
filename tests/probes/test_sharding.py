"""Simulated ranks on real pipelines: groups, ranks that raise or do not move, wrapped loaders, large worlds.

The first tests start interpreters that import torch themselves, as a user's are; the others find it imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch  # noqa: F401 - loaded once, so that forks need not

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.evidence.coverage import CoverageEvidence
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.probes.sharding import ranks as starting
from dldoctor.report import Report
from dldoctor.request import Request
from tests.warm_interpreters import warm_interpreters

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

HEAD = """
import os, time, torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, RandomSampler, Sampler

class Items(Dataset):
    def __init__(self, count=22):
        self.count = count
    def __len__(self):
        return self.count
    def __getitem__(self, index):
        assert self.count < 30, "data is not read"
        return torch.tensor([index, 7])
"""


def checked(folder: Path, source: str, ranks: int = 2, timeout: float | None = None, **intent) -> Report:
    path = folder / "train_data.py"
    path.write_text(HEAD + source, encoding="utf-8")
    limits = Limits(ranks=ranks, timeout_s=timeout)
    request = Request("check-sharding", TargetOptions(f"{path}:make"), Intent(**intent), limits)
    return diagnose(request, launcher=fork_caller(lambda _: None))  # each rank makes the target itself


def seen(report: Report) -> CoverageEvidence:
    assert report.evidence.coverage is not None, report.evidence.missing
    return report.evidence.coverage


@pytest.fixture(scope="module")
def warm_ranks() -> Iterator[None]:
    """Let ranks find torch imported; in force until the end of this module."""
    with warm_interpreters(starting):
        yield


def test_a_target_that_needs_a_group_is_given_a_real_one(tmp_path: Path) -> None:
    """`DistributedSampler(data)` raises without a group; each rank then has its half."""
    source = (
        "def make():\n    return DataLoader(Items(), batch_size=4, sampler=DistributedSampler(Items()))\n"
    )
    found = seen(checked(tmp_path, source))
    assert (found.launch, found.seen_never, found.seen_once) == ("gloo", 0, 22)
    assert [(one.rank, one.items, one.batches, one.state) for one in found.ranks] == [
        (0, 11, 3, "run"),
        (1, 11, 3, "run"),
    ]


def test_64_ranks_are_computed_from_four_without_reading_data(tmp_path: Path) -> None:
    """The stock sampler's arithmetic, checked on those that ran."""
    source = """
def make():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return DataLoader(Items(1001), batch_size=4, sampler=DistributedSampler(Items(1001), world, rank))
"""
    found = seen(checked(tmp_path, source, ranks=64))
    assert (found.ran, found.partial, found.seen_never, found.seen_more) == (4, False, 0, 64 * 16 - 1001)
    assert [one.state for one in found.ranks].count("computed") == 60
    assert {(one.items, one.batches) for one in found.ranks} == {(16, 4)}


@pytest.mark.usefixtures("warm_ranks")
def test_code_that_asks_for_a_group_is_not_taken_at_its_fallback(tmp_path: Path) -> None:
    """Without a group it would not shard at all."""
    source = """
def make():
    data = Items()
    return DataLoader(data, batch_size=4, sampler=DistributedSampler(data) if dist.is_initialized() else RandomSampler(data))
"""
    found = seen(checked(tmp_path, source))
    assert (found.launch, found.seen_once) == ("gloo", 22)


@pytest.mark.usefixtures("warm_ranks")
def test_a_rank_that_does_not_move_is_ended_and_told(tmp_path: Path) -> None:
    """The line it stood at is named; the other rank's result is kept."""
    source = """
class Waits(IterableDataset):
    def __iter__(self):
        if os.environ["RANK"] == "1":
            time.sleep(3600)  # waits
        for k in range(12):
            yield {"id": k, "x": torch.tensor([k, 1])}
def make():
    return DataLoader(Waits(), batch_size=4)
"""
    report = checked(tmp_path, source, timeout=15.0)
    other, stuck = seen(report).ranks
    assert (other.state, other.items, stuck.state) == ("run", 12, "stuck")
    assert stuck.where is not None
    line = (HEAD + source).splitlines()[stuck.where.line - 1]
    assert line.endswith("# waits")
    assert [one.level.value for one in report.findings if one.rule == "DL604"] == ["error"]


@pytest.mark.usefixtures("warm_ranks")
def test_a_rank_that_raises_is_told_with_its_line(tmp_path: Path) -> None:
    """As a reader of shards does that has none."""
    source = """
class Shards(IterableDataset):
    def __iter__(self):
        if os.environ["RANK"] == "1":
            raise ValueError("fewer shards than ranks")
        yield from ({"id": k, "x": torch.tensor([k, 1])} for k in range(12))
def make():
    return DataLoader(Shards(), batch_size=4)
"""
    report = checked(tmp_path, source)
    raised = seen(report).ranks[1]
    assert (raised.state, raised.error) == ("raised", "ValueError: fewer shards than ranks")
    assert "DL604" in {one.rule for one in report.findings}


@pytest.mark.usefixtures("warm_ranks")
def test_code_around_a_loader_runs_without_reading_data(tmp_path: Path) -> None:
    """A wrapper that takes every other batch for each rank, as a framework does."""
    source = """
class Every:
    def __init__(self, loader):
        self.base_dataloader = loader
    def __iter__(self):
        rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        for number, batch in enumerate(self.base_dataloader):
            if number % world == rank:
                yield batch
def make():
    return Every(DataLoader(Items(64), batch_size=4))
"""
    found = seen(checked(tmp_path, source))
    assert (found.seen_never, found.seen_once, found.by) == (0, 64, "index")
    assert [one.items for one in found.ranks] == [32, 32]


@pytest.mark.usefixtures("warm_ranks")
def test_the_users_own_hook_announces_the_epoch(tmp_path: Path) -> None:
    """A name that nobody guesses."""
    source = """
class Rolled(Sampler):
    shuffle = True
    turn = 0
    def __len__(self):
        return 22
    def __iter__(self):
        return iter(torch.randperm(22, generator=torch.Generator().manual_seed(self.turn)).tolist())
def make():
    sampler = Rolled()
    sampler.shuffle = True
    return DataLoader(Items(), batch_size=4, sampler=sampler)
def begin(loader, epoch):
    loader.sampler.turn = epoch
"""
    hook = f"{tmp_path / 'train_data.py'}:begin"
    order = seen(checked(tmp_path, source, ranks=1, set_epoch=hook)).order
    assert (order.announced, order.same) == (("--set-epoch",), False)
    told = checked(tmp_path, source, ranks=1, set_epoch="none")
    assert seen(told).order.same is True
    assert [one.level.value for one in told.findings if one.rule == "DL606"] == ["error"]
