"""A stream that starts a pool of threads in each epoch and never ends it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

LIMITS = {"time_budget_s": 30.0}


def decoded(index: int) -> dict[str, Any]:
    """A picture that its index decides."""
    return {"image": torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(index)), "label": index % 4}


class Decoded(IterableDataset[dict[str, Any]]):
    """64 pictures, decoded by two threads."""

    def __init__(self, end_pools: bool) -> None:
        self.end_pools = end_pools
        self.pools: list[ThreadPoolExecutor] = []

    def __iter__(self) -> Iterator[dict[str, Any]]:
        pool = ThreadPoolExecutor(2)
        yield from pool.map(decoded, range(64))
        if self.end_pools:
            pool.shutdown()
        else:
            self.pools.append(pool)


def broken() -> DataLoader[Any]:
    """Two more threads after each epoch."""
    return DataLoader(Decoded(end_pools=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """The pool ends with the epoch."""
    return DataLoader(Decoded(end_pools=True), batch_size=8)


def broken_in_workers_that_live_on() -> DataLoader[Any]:
    """The same in a worker."""
    return DataLoader(Decoded(end_pools=False), batch_size=8, num_workers=1, persistent_workers=True)
