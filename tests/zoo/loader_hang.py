"""A lock that a thread of the main process held when the workers were forked."""

from __future__ import annotations

import threading
import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"timeout_s": 2.0}


class Pool:
    """A stand-in for a library with a thread pool: `busy` of its threads work when it is forked."""

    def __init__(self, busy: bool) -> None:
        self.lock = threading.Lock()
        if busy:
            taken = threading.Event()
            threading.Thread(target=self._work, args=(taken,), daemon=True).start()
            taken.wait()

    def _work(self, taken: threading.Event) -> None:
        with self.lock:
            taken.set()
            threading.Event().wait()

    def resize(self, image: torch.Tensor) -> torch.Tensor:
        """Work under the lock, as every call of the library does."""
        with self.lock:
            return image[:, ::2, ::2]


class Images(Dataset[torch.Tensor]):
    """24 images; from number 8 on they are large and go through the pool."""

    def __init__(self, pool: Pool, slow_s: float = 0.0) -> None:
        self.pool = pool
        self.slow_s = slow_s

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index == 10 and self.slow_s:
            time.sleep(self.slow_s)
        side = 32 if index >= 8 else 16
        image = torch.rand(3, side, side, generator=torch.Generator().manual_seed(index))
        return self.pool.resize(image) if side == 32 else image


def broken() -> DataLoader[Any]:
    """The first large image waits for a lock that nobody holds any more."""
    return DataLoader(Images(Pool(busy=True)), batch_size=4, num_workers=2, multiprocessing_context="fork")


def fixed() -> DataLoader[Any]:
    """The pool is idle when the workers are forked."""
    return DataLoader(Images(Pool(busy=False)), batch_size=4, num_workers=2, multiprocessing_context="fork")


def healthy_slow_item() -> DataLoader[Any]:
    """One item takes a third of a second."""
    return DataLoader(Images(Pool(busy=False), slow_s=0.3), batch_size=4, num_workers=1)
