"""Point clouds whose boxes are a tensor each."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

LIMITS = {"batches": 12}
Scene = list[torch.Tensor]


class Scenes(Dataset[Scene]):
    """96 scenes of 40 boxes."""

    def __init__(self) -> None:
        self.boxes = torch.rand(96, 40, 6, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.boxes)

    def __getitem__(self, index: int) -> Scene:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return [box + 0.01 * torch.rand(6) for box in self.boxes[index]]


def as_list(scenes: list[Scene]) -> list[Scene]:
    """Leave the boxes as they are."""
    return scenes


def stacked(scenes: list[Scene]) -> torch.Tensor:
    """Stack boxes, then scenes."""
    return torch.stack([torch.stack(scene) for scene in scenes])


def broken() -> DataLoader[Any]:
    """320 tensors cross for each batch."""
    return DataLoader(Scenes(), batch_size=8, num_workers=1, collate_fn=as_list)


def fixed() -> DataLoader[Any]:
    """One tensor crosses."""
    return DataLoader(Scenes(), batch_size=8, num_workers=1, collate_fn=stacked)
