"""A profiled loader gives the batches of the bare one, bit for bit, random numbers included."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, get_worker_info

from dldoctor.intent import TargetOptions
from dldoctor.probes.profile import reachable
from dldoctor.probes.profile.run import Run, follow, form_of, instrument
from dldoctor.probes.profile.timeline import Names, timeline
from dldoctor.probes.profile.worker import ProfileConfig, bench_of
from dldoctor.targets import from_object

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class Items(Dataset[dict[str, Any]]):
    """Items that draw from all three generators."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> dict[str, Any]:
        noise = torch.rand(3) + float(np.random.rand()) + random.random()
        return {"index": index, "noise": noise, "text": f"item {index}"}


class Stream(IterableDataset[dict[str, Any]]):
    """The same as a stream, split between workers."""

    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for index in range(first, 24, step):
            yield Items()[index]


def seed_worker(worker: int) -> None:
    """Leave a mark on the dataset, as users do."""
    get_worker_info().dataset.mark = worker


def made(kind: str, method: str | None, workers: int, persistent: bool) -> DataLoader[Any]:
    """Return a loader with a generator of its own."""
    data: Any = (
        Stream() if kind == "stream" else Subset(Items(), range(1, 23)) if kind == "subset" else Items()
    )
    return DataLoader(
        data,
        batch_size=5,
        shuffle=kind != "stream",
        num_workers=workers,
        persistent_workers=persistent,
        multiprocessing_context=method if workers else None,
        worker_init_fn=seed_worker if workers else None,
        generator=torch.Generator().manual_seed(5),
    )


def in_fork(act: Any) -> Any:
    """Return what a function gives in a fork of this process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        torch.manual_seed(3)
        np.random.seed(3)
        random.seed(3)
        torch.set_num_threads(1)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(act(), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(data)


def plain(batches: list[Any]) -> list[Any]:
    return [[b["index"].tolist(), b["noise"].numpy().tobytes(), b["text"]] for b in batches]


def bare(kind: str, method: str | None, workers: int, persistent: bool) -> Any:
    # The numbers of a worker come from the loader's seed alone, and a forked one need not import torch.
    loader = made(kind, method and "fork", workers, persistent)
    return plain([batch for _ in range(2) for batch in loader]), torch.rand(1).item(), random.random()


def profiled(folder: Path, *settings: Any) -> Any:
    pipeline = from_object(made(*settings), TargetOptions("x"))
    loader = pipeline.torch_loader
    config = ProfileConfig(
        str(folder), f"t-{os.getpid()}", files=reachable.files((loader.dataset, loader.collate_fn))
    )
    run = Run(form_of(pipeline))
    bench_of(config)
    instrument(pipeline, config, run)
    follow(pipeline.loader, run, lambda _: False, config, keep=99, epochs=2)
    found = timeline(run, Names(), in_order=True)
    counts = [(len(run.deliveries), len(found), sum(one.samples for one in found))]
    ordered = all(
        one.start_ns
        <= one.fetched_ns
        <= one.record.collate_end_ns
        <= (one.sending_ns or one.delivered_ns)
        <= one.delivered_ns
        for one in found
    )
    return (plain(run.batches), torch.rand(1).item(), random.random()), counts, ordered


CASES = [
    (kind, method, workers, persistent)
    for kind in ("map", "subset", "stream")
    for method, workers, persistent in (
        (None, 0, False), ("fork", 2, False), ("fork", 2, True),
        # Each worker imports torch anew, in each epoch unless it stays: one kind is enough for two that do not.
        ("spawn", 2, False) if kind == "map" else ("spawn", 1, True), ("forkserver", 2, True),
    )
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def server_with_torch() -> None:
    """Let the workers of a forkserver find torch imported."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["numpy", "torch", __name__])


@pytest.mark.parametrize("settings", CASES, ids=lambda case: "-".join(str(part) for part in case))
def test_batches_and_generators_are_equal(settings: tuple[Any, ...], tmp_path: Path) -> None:
    """Two epochs, all values, and the state of the generators afterwards."""
    (tmp_path / "mp").mkdir()
    watched, counts, ordered = in_fork(lambda: profiled(tmp_path, *settings))
    assert watched == in_fork(lambda: bare(*settings))
    items = {"map": 48, "subset": 44, "stream": 48}[settings[0]]
    assert (counts[0][0] == counts[0][1], counts[0][2]) == (True, items)
    assert ordered
    json.dumps(counts)
