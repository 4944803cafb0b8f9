"""Rank coverage of loaders that frameworks shard, by the packages themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch  # noqa: F401 - loaded once, so that forks need not

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.finding import Level
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.probes.sharding import ranks
from dldoctor.request import Request
from tests.warm_interpreters import warm_interpreters

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

DATASETS = """
import os
from datasets import Dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
ROWS = Dataset.from_dict({"id": list(range(96)), "x": [float(number) for number in range(96)]})

def stream(rank):
    split = split_dataset_by_node(ROWS.to_iterable_dataset(num_shards=8), rank=rank, world_size=WORLD)
    return DataLoader(split, batch_size=4, num_workers=2)

def by_node(): return stream(RANK)
def all_as_the_first(): return stream(0)
def rows_by_node():
    return DataLoader(split_dataset_by_node(ROWS, rank=RANK, world_size=WORLD), batch_size=4)
"""


@pytest.fixture(scope="module")
def warm_ranks() -> Iterator[None]:
    """Let the ranks find torch and datasets imported, which takes most of their time."""
    pytest.importorskip("datasets")
    with warm_interpreters(ranks, "datasets"):
        yield


def loud(folder: Path, source: str, name: str, **intent: str) -> tuple[set[str], tuple[int, int, int] | None]:
    """Rules above `info`, and how many items came never, once and more often."""
    path = folder / "ranked_data.py"
    path.write_text(source, encoding="utf-8")
    request = Request("check-sharding", TargetOptions(f"{path}:{name}"), Intent(**intent), Limits(ranks=2))
    report = diagnose(request, launcher=fork_caller(lambda _: None))  # each rank makes the target itself
    assert report.faults == ()
    seen = report.evidence.coverage
    counts = (seen.seen_never, seen.seen_once, seen.seen_more) if seen is not None else None
    return {one.rule for one in report.findings if one.level is not Level.INFO}, counts


@pytest.mark.usefixtures("warm_ranks")
@pytest.mark.parametrize(
    ("name", "rules", "counts"),
    [
        ("by_node", set(), (0, 96, 0)),
        ("rows_by_node", set(), (0, 96, 0)),
        ("all_as_the_first", {"DL603"}, None),
    ],
)
def test_datasets_of_hugging_face(
    tmp_path: Path, name: str, rules: set[str], counts: tuple[int, int, int] | None
) -> None:
    """`split_dataset_by_node` shards a stream and a table, if it is told the right rank."""
    found, seen = loud(tmp_path, DATASETS, name)
    assert found == rules
    assert counts in (None, seen)
