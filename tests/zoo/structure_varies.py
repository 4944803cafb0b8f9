"""Detection data in which images without objects come without the key `boxes`."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset[dict[str, Any]]):
    """Every fourth image shows nothing, and says so by leaving the key out."""

    def __init__(self, always: bool) -> None:
        self.always = always

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))
        sample: dict[str, Any] = {"image": image, "label": index % 5}
        if index % 4 != 3 or self.always:
            sample["boxes"] = torch.tensor([[1.0, 2.0, 9.0, 4.0 + index]])
        return sample


def broken() -> DataLoader[Any]:
    """The first sample of each batch has boxes, the fourth has none: KeyError."""
    return DataLoader(Boxes(always=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """Every sample has the key."""
    return DataLoader(Boxes(always=True), batch_size=8)


def optional(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Stack what all have, and keep a list of what only some have."""
    return {
        "image": torch.stack([sample["image"] for sample in samples]),
        "label": torch.tensor([sample["label"] for sample in samples]),
        "boxes": [sample.get("boxes", torch.zeros(0, 4)) for sample in samples],
    }


def healthy_optional_field() -> DataLoader[Any]:
    """The same samples, with a collate that knows that boxes are optional."""
    return DataLoader(Boxes(always=False), batch_size=8, collate_fn=optional)
