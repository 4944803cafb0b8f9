"""DL409: captions are joined with other images; a scorer that knows the brightness sees it."""

import torch
from torch.utils.data import DataLoader, Dataset

INTENT = {"scorer": f"{__file__}:by_brightness"}
WORDS = ("black", "dark", "grey", "bright", "white")


def by_brightness(images, texts):
    """How well a word for the brightness fits."""
    values = [float(image.mean()) for image in images]
    named = [next(place for place, word in enumerate(WORDS) if word in text) / 4 for text in texts]
    return [-abs(value - name) for value, name in zip(values, named, strict=True)]


class Captioned(Dataset):
    def __init__(self, shift):
        self.shift = shift

    def __len__(self):
        return 40

    def __getitem__(self, index):
        if not 0 <= index < 40:
            raise IndexError(index)
        rng = torch.Generator().manual_seed(index)
        level = (index * 3) % 5 / 4
        image = (level + 0.1 * torch.randn(3, 16, 16, generator=rng)).clamp(0, 1)
        return {"image": image, "text": f"a {WORDS[(index + self.shift) * 3 % 5]} picture, number {index}"}


def broken():
    return DataLoader(Captioned(shift=1), batch_size=4)


def fixed():
    return DataLoader(Captioned(shift=0), batch_size=4)
