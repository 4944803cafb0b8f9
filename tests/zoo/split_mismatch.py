"""Evaluation pixels are not normalised as in training, or its last items are dropped."""

import torch
from torch.utils.data import DataLoader, Dataset

MEAN, STD = 0.45, 0.22


class Photos(Dataset):
    def __init__(self, count, normalise=True, size=16):
        generator = torch.Generator().manual_seed(count)
        self.pixels = torch.randint(0, 256, (count, 3, size, size), generator=generator, dtype=torch.uint8)
        self.pixels[:, :, 0, 0], self.pixels[:, :, 0, 1] = 0, 255
        self.normalise = normalise

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        pixels = self.pixels[index].float() / 255
        return {"image": (pixels - MEAN) / STD if self.normalise else pixels, "label": index % 5}


def loaders(normalise=True, drop_last=False, size=16):
    return {
        "train": DataLoader(Photos(96), batch_size=8, shuffle=True, drop_last=True),
        "eval": DataLoader(Photos(70, normalise, size), batch_size=8, drop_last=drop_last),
    }


def broken():
    return loaders(normalise=False)


def broken_drop_last():
    return loaders(drop_last=True)


class Twice(Photos):
    """Normalised in the dataset, and by a transform once more."""

    def __getitem__(self, index):
        sample = super().__getitem__(index)
        return {**sample, "image": (sample["image"] - MEAN) / STD}


def broken_twice():
    return {**loaders(), "train": DataLoader(Twice(96), batch_size=8, shuffle=True, drop_last=True)}


def fixed():
    return loaders()
