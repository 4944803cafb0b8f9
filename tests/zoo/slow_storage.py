"""A consumer that takes batches faster than the storage below the files can give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

INTENT = {"step_ms": 0.0001}
"""10 million batches a second: more than any storage gives."""
FILES = sorted((Path(__file__).parents[2] / "docs" / "rules").glob("*.md"))[:16]


class Files(Dataset[dict[str, Any]]):
    """32 samples of a file each, read for every sample or once."""

    def __init__(self, once: bool) -> None:
        self.once = [path.read_bytes()[:4096] for path in FILES] if once else None

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = index % len(FILES)
        if self.once is not None:
            data = self.once[number]
        else:
            with open(FILES[number], "rb") as file:
                data = file.read()[:4096]
        generator = torch.Generator().manual_seed(index)
        return {"code": torch.rand(16, generator=generator) + len(data) / 4096, "label": index % 4}


def broken() -> DataLoader[Any]:
    """Every sample is read from storage."""
    return DataLoader(Files(once=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """The data was read when the loader was made."""
    return DataLoader(Files(once=True), batch_size=8)
