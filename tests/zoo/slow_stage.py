"""A label service that is asked for each sample, a lock that all workers share, a sampler that takes its time."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, SequentialSampler

LIMITS = {"batches": 16}


class Labelled(Dataset[dict[str, Any]]):
    """160 feature rows with a little noise, and a label that may have to be asked for."""

    def __init__(self, asked: bool) -> None:
        self.rows = torch.randn(160, 32, generator=torch.Generator().manual_seed(0))
        self.asked = asked

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        row = self.rows[index] + 0.01 * torch.randn(32)
        return {"row": row, "label": self.label(index)}

    def label(self, index: int) -> int:
        """Ask for the label, or look it up."""
        if self.asked:
            time.sleep(0.006)
        return index % 3


def broken() -> DataLoader[Any]:
    """Each sample waits 6 ms for its label."""
    return DataLoader(Labelled(asked=True), batch_size=8, num_workers=1)


def fixed() -> DataLoader[Any]:
    """Labels are looked up."""
    return DataLoader(Labelled(asked=False), batch_size=8, num_workers=1)


def broken_heavy_collate() -> DataLoader[Any]:
    """The collate waits for a lock of 20 ms."""
    return DataLoader(Labelled(asked=False), batch_size=8, collate_fn=collate_under_lock)


def collate_under_lock(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Collate while another holds the lock."""
    time.sleep(0.02)
    return torch.utils.data.default_collate(rows)


class Locked(Labelled):
    """Labels come from a file that one worker at a time may read, or from one for each worker."""

    def __init__(self, shared: bool) -> None:
        super().__init__(asked=True)
        self.lock = multiprocessing.Lock() if shared else None

    def label(self, index: int) -> int:
        """Look the label up."""
        if self.lock is None:
            return index % 3
        with self.lock:
            return super().label(index)


def broken_lock() -> DataLoader[Any]:
    """Three workers wait for each other."""
    return DataLoader(Locked(shared=True), batch_size=8, num_workers=3)


def healthy_no_lock() -> DataLoader[Any]:
    """Each has its own."""
    return DataLoader(Locked(shared=False), batch_size=8, num_workers=3)


class Slowly(BatchSampler):
    """Batches that are drawn one by one, or ready."""

    def __init__(self, seconds: float) -> None:
        super().__init__(SequentialSampler(range(160)), 8, drop_last=False)
        self.seconds = seconds

    def __iter__(self) -> Iterator[list[int]]:
        for batch in super().__iter__():
            time.sleep(self.seconds)
            yield batch


def broken_sampler() -> DataLoader[Any]:
    """Each batch waits 60 ms for its indices, however many workers there are."""
    return DataLoader(Labelled(asked=False), batch_sampler=Slowly(0.06), num_workers=1)


def healthy_quick_sampler() -> DataLoader[Any]:
    """The indices are there."""
    return DataLoader(Labelled(asked=False), batch_sampler=Slowly(0.0), num_workers=1)
