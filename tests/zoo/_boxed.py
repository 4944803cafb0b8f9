"""Pictures with a few boxes each."""

import torch
from torch.utils.data import Dataset

WIDE, TALL = 64, 48


def corners(index, wide=WIDE, tall=TALL):
    """Two or three boxes inside of the picture, as corners."""
    rng = torch.Generator().manual_seed(index)
    low = torch.rand(2 + index % 2, 2, generator=rng) * 0.5
    high = low + 0.1 + torch.rand(len(low), 2, generator=rng) * 0.39
    return torch.cat([low, high], 1) * torch.tensor([wide, tall, wide, tall])


class Boxed(Dataset):
    """`change` is what happens to the boxes."""

    def __init__(self, change, count=32):
        self.change, self.count = change, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError(index)
        image = torch.rand(3, TALL, WIDE, generator=torch.Generator().manual_seed(index))
        return {"image": image, "boxes": self.change(corners(index), index)}


def listed(samples):
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "boxes": [one["boxes"] for one in samples],
    }
