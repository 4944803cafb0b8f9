"""A decoder in compiled code, or the system, ends the worker at one sample."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


def nothing() -> None:
    """Decode as one should."""


def kill() -> None:
    """Be ended as the memory killer of the system does it."""
    os.kill(os.getpid(), signal.SIGKILL)


def crash() -> None:
    """Read where no memory is, as a broken decoder does."""
    ctypes.string_at(0)


def leave() -> None:
    """End the process without a word, as some libraries do on a fatal error."""
    os._exit(3)


def abort() -> None:
    """End as a failed assertion in C does."""
    os.abort()


def stop() -> None:
    """Call `sys.exit` on bad data, as a script may."""
    raise SystemExit("bad data")


class Records(Dataset[torch.Tensor]):
    """32 records, of which number 13 is broken."""

    def __init__(self, at_broken: Callable[[], None]) -> None:
        self.at_broken = at_broken

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index == 13:
            self.at_broken()
        return torch.randn(16, generator=torch.Generator().manual_seed(index))


def broken() -> DataLoader[Any]:
    """Killed from outside."""
    return DataLoader(Records(kill), batch_size=4, num_workers=2)


def fixed() -> DataLoader[Any]:
    """The record can be read."""
    return DataLoader(Records(nothing), batch_size=4, num_workers=2)


def broken_segfault() -> DataLoader[Any]:
    """A segmentation fault in a worker."""
    return DataLoader(Records(crash), batch_size=4, num_workers=1)


def broken_exit_code() -> DataLoader[Any]:
    """``os._exit`` in a worker."""
    return DataLoader(Records(leave), batch_size=4, num_workers=1)


def broken_abort() -> DataLoader[Any]:
    """``abort`` in a worker."""
    return DataLoader(Records(abort), batch_size=4, num_workers=1)


def broken_sys_exit() -> DataLoader[Any]:
    """``sys.exit`` in a worker."""
    return DataLoader(Records(stop), batch_size=4, num_workers=1)


def broken_without_workers() -> DataLoader[Any]:
    """A segmentation fault in the process that reads."""
    return DataLoader(Records(crash), batch_size=4)


class Floats:
    """A loader of the project's own around torch's, whose workers start with its first batch."""

    def __init__(self, inner: DataLoader[Any]) -> None:
        self.inner = inner

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Iterator[Any]:
        for batch in self.inner:
            yield batch.float()


def broken_behind_a_generator() -> Floats:
    """``os._exit`` in a worker of the loader inside."""
    return Floats(DataLoader(Records(leave), batch_size=4, num_workers=2))
