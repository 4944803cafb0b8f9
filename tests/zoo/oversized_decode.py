"""Photographs of two megapixels that end as thumbnails."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 8}


def photograph(width: int, height: int, number: int) -> bytes:
    """Return a JPEG file."""
    small = np.random.default_rng(number).integers(0, 255, (12, 16, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(small).resize((width, height)).save(file, "JPEG", quality=90)
    return file.getvalue()


class Photos(Dataset[torch.Tensor]):
    """32 photographs, read at 160 by 120."""

    def __init__(self, width: int, height: int) -> None:
        self.files = [photograph(width, height, number) for number in range(8)]

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = Image.open(io.BytesIO(self.files[index % 8])).resize((160, 120))
        pixels = torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)
        return (pixels.int() + index).clamp(0, 255).to(torch.uint8)


def broken() -> DataLoader[Any]:
    """A hundred times the pixels are decoded."""
    return DataLoader(Photos(1600, 1200), batch_size=4)


def fixed() -> DataLoader[Any]:
    """Stored at about the size that is used."""
    return DataLoader(Photos(200, 150), batch_size=4)
