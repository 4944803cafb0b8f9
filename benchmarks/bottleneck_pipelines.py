"""Loaders of known bottlenecks, each with the twin that one gets by following the advice."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

CORES = len(os.sched_getaffinity(0))
COUNT = 4096
Make = Callable[[], DataLoader[Any]]


def spin(seconds: float) -> None:
    """Use a core for so long."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def fetch(seconds: float) -> bytes:
    """Stand for a storage that answers after so long."""
    time.sleep(seconds)
    return b"\0" * 256


class Rows(Dataset[Any]):
    """Items with some noise, so that none could be kept."""

    def __len__(self) -> int:
        return COUNT

    def row(self, index: int) -> torch.Tensor:
        return torch.rand(64) + index


class Tokenised(Rows):
    """4 ms of pure Python a sample, or ids that were stored before."""

    def __init__(self, *, stored: bool) -> None:
        self.stored = stored

    def tokenise(self, index: int) -> torch.Tensor:
        spin(0.004)
        return torch.arange(64) + index

    def __getitem__(self, index: int) -> Any:
        ids = torch.arange(64) + index if self.stored else self.tokenise(index)
        return ids, self.row(index)


class Remote(Rows):
    """A storage that answers after 10 ms, however many ask."""

    def __getitem__(self, index: int) -> Any:
        raw = fetch(0.010)
        return self.row(index), len(raw)


class Locked(Rows):
    """A storage of 4 ms behind one lock for all workers, or with a handle for each."""

    def __init__(self, *, lock: bool) -> None:
        self.lock = multiprocessing.Lock() if lock else None

    def __getitem__(self, index: int) -> Any:
        if self.lock is None:
            raw = fetch(0.004)
        else:
            with self.lock:
                raw = fetch(0.004)
        return self.row(index), len(raw)


class OneAtATime(Rows):
    """A server that answers one question at a time, which no lock in the code shows; or one for each worker."""

    def __init__(self, *, shared: bool) -> None:
        self.ends = os.pipe() if shared else None
        if self.ends:
            os.write(self.ends[1], b"x")

    def ask(self) -> bytes:
        if self.ends is None:
            return fetch(0.004)
        os.read(self.ends[0], 1)
        try:
            return fetch(0.004)
        finally:
            os.write(self.ends[1], b"x")

    def __getitem__(self, index: int) -> Any:
        raw = self.ask()
        return self.row(index), len(raw)


class Multiplied(Rows):
    """Products of matrices, which torch spreads over its threads."""

    def __getitem__(self, index: int) -> Any:
        square = torch.rand(320, 320)
        for _ in range(4):
            square = square @ square.T / 320
        return square[:4], self.row(index)


def eight_threads(_worker: int) -> None:
    torch.set_num_threads(8)


class Pieces(Rows):
    """Many small tensors a sample, or one."""

    def __init__(self, *, stacked: bool) -> None:
        self.stacked = stacked

    def __getitem__(self, index: int) -> Any:
        rows = torch.rand(24, 4)
        return rows if self.stacked else list(rows)


def as_they_are(rows: list[Any]) -> list[Any]:
    return rows


class Arrays(Rows):
    """Half a megabyte of NumPy a sample, or the same as a tensor."""

    def __init__(self, *, tensors: bool) -> None:
        self.tensors = tensors

    def __getitem__(self, index: int) -> Any:
        pixels = np.full((400, 400, 3), index % 256, np.uint8)
        return torch.from_numpy(pixels) if self.tensors else pixels


class OneInNinety(Rows):
    """2 ms a sample, and 120 ms for one in ninety, or 2 ms for all."""

    def __init__(self, *, capped: bool) -> None:
        self.slow = np.random.default_rng(3).random(COUNT) < 1 / 90
        self.capped = capped

    def __getitem__(self, index: int) -> Any:
        raw = fetch(0.120 if self.slow[index] and not self.capped else 0.002)
        return self.row(index), len(raw)


class Ready(Rows):
    """Nothing to do."""

    def __getitem__(self, index: int) -> Any:
        return self.row(index)


class Weighed(BatchSampler):
    """Draws each batch from all weights, or once for the epoch."""

    def __init__(self, *, at_once: bool) -> None:
        super().__init__(RandomSampler(range(COUNT)), 16, drop_last=True)
        self.at_once = at_once

    def __iter__(self) -> Iterator[list[int]]:
        every = torch.randperm(COUNT).tolist()
        for start in range(0, COUNT - 15, 16):
            if not self.at_once:
                spin(0.015)
            yield every[start : start + 16]


def load(data: Any, workers: int, **options: Any) -> DataLoader[Any]:
    """Return a shuffled loader in batches of 16."""
    return DataLoader(data, 16, shuffle=True, num_workers=workers, **options)


@dataclass(frozen=True)
class Known:
    """A bottleneck, what must be said of it, and the loader that follows the advice."""

    now: Make
    rule: str
    named: str
    """What the finding must name: a stage, or a word of its message."""
    advice: str
    """What the advice must speak of."""
    followed: Make
    full: bool = False
    """The cores are full: more workers must not be advised."""


PIPELINES: dict[str, Known] = {
    "CPU-bound, cores full": Known(
        lambda: load(Tokenised(stored=False), CORES), "DL702", "tokenise", "Tokenise once",
        lambda: load(Tokenised(stored=True), CORES), full=True,
    ),
    "CPU-bound, a core free": Known(
        lambda: load(Tokenised(stored=False), 1), "DL702", "tokenise", "Start more workers",
        lambda: load(Tokenised(stored=False), CORES), full=CORES < 2,
    ),
    "storage-bound": Known(
        lambda: load(Remote(), 2), "DL702", "fetch", "Let more workers wait", lambda: load(Remote(), 8),
    ),
    "core-starved": Known(
        lambda: load(Multiplied(), CORES, worker_init_fn=eight_threads), "DL704", "busy threads", "one thread",
        lambda: load(Multiplied(), CORES), full=True,
    ),
    "hand-off: small tensors": Known(
        lambda: load(Pieces(stacked=False), 2, collate_fn=as_they_are), "DL708", "tensors", "Stack",
        lambda: load(Pieces(stacked=True), 2),
    ),
    "hand-off: arrays": Known(
        lambda: load(Arrays(tensors=False), 2, collate_fn=as_they_are), "DL709", "pickle", "tensor",
        lambda: load(Arrays(tensors=True), 2, collate_fn=as_they_are),
    ),
    "lock-bound": Known(
        lambda: load(Locked(lock=True), 4), "DL702", "lock", "handle of its own", lambda: load(Locked(lock=False), 4), full=True,
    ),
    "one answer at a time": Known(
        lambda: load(OneAtATime(shared=True), 4), "DL702", "waiting", "give each its own",
        lambda: load(OneAtATime(shared=False), 4), full=True,
    ),
    "one slow sample in ninety": Known(
        lambda: load(OneInNinety(capped=False), 4), "DL703", "samples", "in_order=False",
        lambda: load(OneInNinety(capped=False), 4, in_order=False),
    ),
    "sampler-bound": Known(
        lambda: DataLoader(Ready(), batch_sampler=Weighed(at_once=False), num_workers=2), "DL702", "sampler", "at once",
        lambda: DataLoader(Ready(), batch_sampler=Weighed(at_once=True), num_workers=2), full=True,
    ),
}  # fmt: skip
