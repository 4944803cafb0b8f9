"""Photographs from the web: some are grey, one has transparency, and nobody converts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

MODES = {6: "L", 17: "RGBA", 33: "L"}


def opened(index: int) -> Image.Image:
    """Return photograph `index` as Pillow opens it."""
    pixels = np.random.default_rng(index).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(MODES.get(index, "RGB"))


class Photographs(Dataset[dict[str, Any]]):
    """40 photographs as tensors with the channels first."""

    def __init__(self, mode: str | None) -> None:
        self.mode = mode

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = opened(index)
        pixels = np.atleast_3d(np.array(image.convert(self.mode or image.mode)))
        return {"image": torch.from_numpy(pixels).permute(2, 0, 1).float() / 255, "label": index % 4}


def broken() -> DataLoader[Any]:
    """One channel beside three beside four cannot be stacked."""
    return DataLoader(Photographs(mode=None), batch_size=8)


def fixed() -> DataLoader[Any]:
    """Every image is converted when it is opened."""
    return DataLoader(Photographs(mode="RGB"), batch_size=8)


def broken_batch_of_one() -> DataLoader[Any]:
    """A batch size of 1 stacks anything, and the first convolution raises instead."""
    return DataLoader(Photographs(mode=None), batch_size=1)


class Files(Dataset[dict[str, Any]]):
    """The same photographs as Pillow images."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {"image": opened(index), "label": index % 4}


def convert(samples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Convert all images to RGB, then stack them."""
    pixels = np.stack([np.array(sample["image"].convert("RGB")) for sample in samples])
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 255
    return {"image": images, "label": torch.tensor([sample["label"] for sample in samples])}


def healthy_converting_collate() -> DataLoader[Any]:
    """Images of several modes that the collate converts."""
    return DataLoader(Files(), batch_size=8, collate_fn=convert)


class Grey(Dataset[dict[str, Any]]):
    """Scans that are all grey, as uint8 on purpose."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        pixels = np.random.default_rng(index).integers(0, 256, (1, 16, 16), dtype=np.uint8)
        return {"image": torch.from_numpy(pixels), "label": index % 4}


def healthy_all_grey() -> DataLoader[Any]:
    """One kind only, whichever it is."""
    return DataLoader(Grey(), batch_size=8)
