"""Two cores that other programs keep busy all the time, and a loader that needs them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"time_budget_s": 10.0}
OPTIONS = {"workers": [0, 1, 2], "prefetch": [2], "loader_batches": 4}
BUSY_S = 90.0


class Decoded(Dataset[dict[str, Any]]):
    """256 rows; each costs 2 ms of computing."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        until = time.thread_time() + 0.002
        while time.thread_time() < until:
            pass
        return {"row": torch.rand(8, generator=torch.Generator().manual_seed(index)), "label": index % 4}


def broken() -> DataLoader[Any]:
    """One program a core that is none of this loader's, for as long as the process lives."""
    for _ in range(len(os.sched_getaffinity(0))):
        keep_a_core_busy()
    return DataLoader(Decoded(), batch_size=4, num_workers=2)


def healthy_alone() -> DataLoader[Any]:
    """A loader that waits for storage and hardly needs a core is not disturbed by much."""

    class Waiting(Decoded):
        def __getitem__(self, index: int) -> dict[str, Any]:
            if not 0 <= index < len(self):
                raise IndexError(index)
            time.sleep(0.15)
            return {"row": torch.zeros(8) + index, "label": index % 4}

    return DataLoader(Waiting(), batch_size=1, num_workers=2)


def keep_a_core_busy() -> None:
    """Start a process that computes until its parent is gone, or for a minute and a half."""
    if os.fork():
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    until = time.monotonic() + BUSY_S
    while time.monotonic() < until:
        pass
    os._exit(0)
