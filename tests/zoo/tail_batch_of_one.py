"""41 pictures in batches of 8: the last batch of each epoch has one, on which BatchNorm raises."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset[dict[str, Any]]):
    """41 pictures of 16 x 16 pixels."""

    def __len__(self) -> int:
        return 41

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))
        return {"image": image, "label": index % 4}


def broken() -> DataLoader[Any]:
    """41 = 5 x 8 + 1."""
    return DataLoader(Pictures(), batch_size=8, shuffle=True)


def fixed() -> DataLoader[Any]:
    """The rest is dropped; the shuffle leaves out another picture each time."""
    return DataLoader(Pictures(), batch_size=8, shuffle=True, drop_last=True)


def healthy_in_order() -> DataLoader[Any]:
    """A loader in order is most often for evaluation, where every picture counts."""
    return DataLoader(Pictures(), batch_size=8)


def healthy_batches_of_one() -> DataLoader[Any]:
    """Every batch has one picture, on purpose."""
    return DataLoader(Pictures(), batch_size=1, shuffle=True)
