"""Files and sockets that are opened for a sample and stay open."""

from __future__ import annotations

import socket
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from tests.zoo._kept_files import Archives, Episodes, Films, Kept

LIMITS = {"time_budget_s": 30.0}
LENGTH = 64


class Photos(Dataset[dict[str, Any]]):
    """64 photos, each opened from a file; the file object may be kept."""

    def __init__(self, keep: bool) -> None:
        self.keep = keep
        self.opened: list[Any] = []

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        file = open(__file__, "rb")
        size = len(file.read(100))
        if self.keep:
            self.opened.append(file)
        else:
            file.close()
        generator = torch.Generator().manual_seed(index)
        return {"image": torch.rand(3, 8, 8, generator=generator) * size / 100, "label": index % 4}


class Remote(Dataset[dict[str, Any]]):
    """A client is made for each sample, or one for each worker."""

    def __init__(self, one: bool) -> None:
        self.one = one
        self.clients: list[socket.socket] = []

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        if not self.one or not self.clients:
            self.clients.append(socket.socket())
        return {
            "image": torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(index)),
            "label": index % 4,
        }


def _loader(dataset: Kept) -> DataLoader[Any]:
    return DataLoader(dataset, batch_size=4, num_workers=1, persistent_workers=True)


def healthy_hdf5_of_few_files() -> DataLoader[Any]:
    """All handles are kept, and HDF5 opens no file a second time: there will be as many as files."""
    return _loader(Episodes(keep=True))


def healthy_hdf5() -> DataLoader[Any]:
    """Each is closed when it was read."""
    return _loader(Episodes(keep=False))


def broken_archives() -> DataLoader[Any]:
    """Every reading leaves a zip archive open."""
    return _loader(Archives(keep=True))


def broken_lazy_images() -> DataLoader[Any]:
    """The image objects are kept, and with each its file."""
    return _loader(Films(keep=True))


def healthy_lazy_images() -> DataLoader[Any]:
    """The images are closed."""
    return _loader(Films(keep=False))


def broken() -> DataLoader[Any]:
    """Every reading leaves a file open."""
    return DataLoader(Photos(keep=True), batch_size=4, num_workers=1, persistent_workers=True)


def fixed() -> DataLoader[Any]:
    """The file is closed when it was read."""
    return DataLoader(Photos(keep=False), batch_size=4, num_workers=1, persistent_workers=True)


def broken_sockets() -> DataLoader[Any]:
    """Every reading leaves a socket open, until the workers end with the epoch."""
    return DataLoader(Remote(one=False), batch_size=4, num_workers=1)


def healthy_one_client_a_worker() -> DataLoader[Any]:
    """It is made once, when the worker first needs it."""
    return DataLoader(Remote(one=True), batch_size=4, num_workers=1, persistent_workers=True)


def broken_short_epochs() -> DataLoader[Any]:
    """Workers that end after two batches keep a file of each sample until then."""
    return DataLoader(Photos(keep=True), batch_size=16, num_workers=2)
