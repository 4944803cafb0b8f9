"""Pixels that were divided by 255 before they leave the workers."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 12}


class Photos(Dataset[torch.Tensor]):
    """192 photographs, cut from a larger one."""

    def __init__(self, scaled: bool, jitter: bool = False) -> None:
        generator = torch.Generator().manual_seed(0)
        self.base = torch.randint(0, 256, (3, 192, 400), dtype=torch.uint8, generator=generator)
        self.scaled = scaled
        self.jitter = jitter

    def __len__(self) -> int:
        return 192

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        pixels = self.base[:, :, index : index + 192]
        if self.jitter:
            return pixels / 255 * (0.9 + 0.2 * torch.rand(())) + 0.001 * torch.rand(3, 192, 192)
        return pixels / 255 if self.scaled else pixels.contiguous()


def broken() -> DataLoader[Any]:
    """Four times the bytes, and no more information."""
    return DataLoader(Photos(scaled=True), batch_size=16, num_workers=1)


def fixed() -> DataLoader[Any]:
    """The model scales."""
    return DataLoader(Photos(scaled=False), batch_size=4, num_workers=1)


def healthy_jitter() -> DataLoader[Any]:
    """After jitter the values are no grid of 8 bits."""
    return DataLoader(Photos(scaled=True, jitter=True), batch_size=4, num_workers=1)
