"""Watching changes no result: batches, random numbers and the user's objects stay what they are."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, get_worker_info

from dldoctor.child.board import Board
from dldoctor.intent import TargetOptions
from dldoctor.probes.instrument import instrument
from dldoctor.probes.watch import WatchConfig
from dldoctor.probes.wrappers import AWAY, Envelope, watched
from dldoctor.targets import from_object

pytestmark = pytest.mark.slow


class Noisy(Dataset):
    """Draws from all three generators for each item."""

    def __len__(self):
        return 11

    def __getitem__(self, index):
        return {
            "x": torch.rand(3) + index,
            "y": np.random.rand(2),
            "z": random.random(),
            "id": index,
        }


class Stream(IterableDataset):
    """The same, as a stream that splits itself over the workers."""

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, 11, step):
            yield {"x": torch.rand(3) + index, "z": random.random(), "id": index}


def flat(batch: Any) -> list[Any]:
    """Return a batch of dicts as plain values that compare by content."""
    return [
        (key, value.tolist() if torch.is_tensor(value) else value) for key, value in sorted(batch.items())
    ]


def settings(workers: int, start: str | None, *, persistent: bool) -> dict[str, Any]:
    """Return loader settings for a number of workers."""
    if not workers:
        return {}
    return {"num_workers": workers, "multiprocessing_context": start, "persistent_workers": persistent}


DATASETS = [Noisy(), Stream(), Subset(Noisy(), [4, 1, 9]), ConcatDataset([Noisy(), Noisy()])]
CASES = [
    *[(one, *case) for case in ((0, None, False), (2, "fork", False), (2, "fork", True)) for one in DATASETS],
    # Each worker imports torch anew, in each epoch unless it stays: one form is enough for two that do not.
    (DATASETS[0], 1, "spawn", False),
    *[(one, 1, "spawn", True) for one in DATASETS[1:]],
    *[(one, 2, "forkserver", True) for one in DATASETS],
]


@pytest.fixture(scope="module", autouse=True)
def server_with_torch() -> None:
    """Let the workers of a forkserver find torch imported."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["numpy", "torch", __name__])


@pytest.mark.parametrize(("dataset", "workers", "start", "persistent"), CASES)
def test_batches_are_equal_bit_for_bit(
    dataset: Any, workers: int, start: str | None, persistent: bool, tmp_path: Path
) -> None:
    """Two epochs give the same batches with and without the stand-ins, random numbers included.

    The numbers of a worker come from the loader's seed alone, however it was started: those without stand-ins
    are forked.
    """

    def run(loader: Any) -> list[Any]:
        random.seed(7)
        np.random.seed(7)
        torch.manual_seed(7)
        batches = []
        for _ in range(2):
            for batch in loader:
                batches.append(flat(batch.batch if isinstance(batch, Envelope) else batch))
        return [*batches, torch.rand(1).item(), random.random(), np.random.rand()]

    def made(start: str | None) -> DataLoader:
        return DataLoader(dataset, batch_size=3, **settings(workers, start, persistent=persistent))

    (tmp_path / "stacks").mkdir()
    Board(str(tmp_path / "board")).close()
    pipeline = from_object(made(start), TargetOptions(""))
    assert instrument(pipeline, WatchConfig(str(tmp_path), token=f"{tmp_path}")) == "envelope"
    assert run(pipeline.loader) == run(made("fork"))


def test_a_loader_of_the_users_own_class_meets_bare_batches(tmp_path: Path) -> None:
    """Code between the loader and us sees what it always sees; the records arrive aside."""

    class Doubling(DataLoader):
        def __iter__(self):
            for batch in super().__iter__():
                batch["x"] = batch["x"] * 2
                yield batch

    (tmp_path / "stacks").mkdir()
    pipeline = from_object(Doubling(Noisy(), batch_size=4, num_workers=2), TargetOptions(""))
    AWAY.clear()
    assert instrument(pipeline, WatchConfig(str(tmp_path), token=f"{tmp_path}")) == "aside"
    batches = list(pipeline.loader)
    assert [batch["id"].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]
    assert len(AWAY) == 3


def test_the_stand_in_has_the_abilities_of_the_dataset(tmp_path: Path) -> None:
    """Length, ``__getitems__``, attributes read and written, pickling: as the user's own."""
    inner = Subset(Noisy(), [2, 3])
    stand_in = watched(inner, WatchConfig(str(tmp_path), "t"), swallow=True)
    stand_in.flag = 5
    again = pickle.loads(pickle.dumps(stand_in))
    assert (len(stand_in), callable(stand_in.__getitems__), inner.flag) == (2, True, 5)
    assert (again.flag, again.indices, type(again)) == (5, [2, 3], type(stand_in))
    stream = watched(Stream(), WatchConfig(str(tmp_path), "t"), swallow=True)
    assert isinstance(stream, IterableDataset)
    assert not hasattr(type(stream), "__len__")


def test_the_users_loader_is_left_as_it_was(tmp_path: Path) -> None:
    """Dataset, collate function, sampler, generator and settings of the given object are untouched."""
    generator = torch.Generator().manual_seed(3)
    loader = DataLoader(Noisy(), batch_size=2, shuffle=True, generator=generator)
    before, state = copy.copy(vars(loader)), generator.get_state()
    instrument(from_object(loader, TargetOptions("")), WatchConfig(str(tmp_path), "t"))
    assert vars(loader) == before
    assert torch.equal(generator.get_state(), state)
