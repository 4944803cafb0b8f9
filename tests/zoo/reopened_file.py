"""A ZIP file with many members, opened for each of them."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 10}


def archive() -> str:
    """Write the archive."""
    folder = Path(tempfile.mkdtemp(prefix="zoo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "rows.zip"
    with zipfile.ZipFile(path, "w") as file:
        for number in range(1500):
            file.writestr(f"rows/{number:05}.txt", f"{number}")
    return str(path)


class Rows(Dataset[torch.Tensor]):
    """80 of the 1500 members."""

    def __init__(self, path: str, kept: bool) -> None:
        self.path = path
        self.kept = kept
        self.file: zipfile.ZipFile | None = None

    def __len__(self) -> int:
        return 80

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return torch.tensor([float(self.read(index)), 1.0]) + 0.01 * torch.randn(2)

    def read(self, index: int) -> bytes:
        """Read one member."""
        name = f"rows/{index:05}.txt"
        if self.kept:
            self.file = self.file or zipfile.ZipFile(self.path)
            return self.file.read(name)
        with zipfile.ZipFile(self.path) as file:
            return file.read(name)


class Parts(Dataset[torch.Tensor]):
    """Rows of some `.npz` files."""

    def __init__(self) -> None:
        folder = Path(archive()).parent
        self.paths = [folder / f"part{number}.npz" for number in range(4)]
        for path in self.paths:
            np.savez(path, rows=np.arange(400_000, dtype=np.float32).reshape(20, -1))

    def __len__(self) -> int:
        return 80

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        part = np.load(self.paths[index % 4])
        return torch.from_numpy(part["rows"][index // 4, :8]) + 0.01 * torch.randn(8)


def broken_npz_in_turn() -> DataLoader[Any]:
    """A whole array is read for each of its rows."""
    return DataLoader(Parts(), batch_size=8)


def broken() -> DataLoader[Any]:
    """The index of the archive is read 80 times."""
    return DataLoader(Rows(archive(), kept=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """It is read once in each process."""
    return DataLoader(Rows(archive(), kept=True), batch_size=8)
