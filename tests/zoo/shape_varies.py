"""Photographs resized by their short edge only: one that is not square keeps another width."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Photographs(Dataset[tuple[torch.Tensor, int]]):
    """64 images of 16 rows, of which number 40 is one column narrower."""

    def __init__(self, crop: bool = False) -> None:
        self.width = 15 if crop else 16

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.rand(3, 16, 15 if index == 40 else 16, generator=torch.Generator().manual_seed(index))
        return image[:, :, : self.width], index % 4


def broken() -> DataLoader[Any]:
    """The sixth batch cannot be stacked."""
    return DataLoader(Photographs(), batch_size=8)


def fixed() -> DataLoader[Any]:
    """Every image is cropped to one width."""
    return DataLoader(Photographs(crop=True), batch_size=8)


def keep_list(samples: list[tuple[torch.Tensor, int]]) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Keep images as a list, as detection models take them."""
    return [image for image, _ in samples], torch.tensor([label for _, label in samples])


def pad(samples: list[tuple[torch.Tensor, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Pad images to the widest of the batch."""
    widest = max(image.shape[2] for image, _ in samples)
    padded = [torch.nn.functional.pad(image, (0, widest - image.shape[2])) for image, _ in samples]
    return torch.stack(padded), torch.tensor([label for _, label in samples])


def healthy_list_of_images() -> DataLoader[Any]:
    """A detection collate that keeps a list on purpose."""
    return DataLoader(Photographs(), batch_size=8, collate_fn=keep_list)


def healthy_padding() -> DataLoader[Any]:
    """A collate that pads."""
    return DataLoader(Photographs(), batch_size=8, collate_fn=pad)


def healthy_batch_of_one() -> DataLoader[Any]:
    """Images of several sizes, one at a time."""
    return DataLoader(Photographs(), batch_size=1)


def healthy_buckets() -> DataLoader[Any]:
    """A batch sampler that puts equal sizes together."""
    same = [index for index in range(64) if index != 40]
    return DataLoader(Photographs(), batch_sampler=[*(same[at : at + 9] for at in range(0, 63, 9)), [40]])
