"""A few JPEG files large enough to be scaled down, and a dataset that opens and prepares them."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from tests.zoo._photos import coarse

COUNT, WIDE, TALL = 8, 160, 120
MEAN = torch.tensor([0.485, 0.456, 0.406])[:, None, None]
SPREAD = torch.tensor([0.229, 0.224, 0.225])[:, None, None]


@cache
def folder():
    root = Path(tempfile.mkdtemp(prefix="zoo-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for index in range(COUNT):
        coarse(index, WIDE, TALL).save(root / f"{index}.{'png' if index % 2 else 'jpg'}")
    return root


class Views(Dataset):
    """`prepare` makes the picture of a path."""

    def __init__(self, prepare):
        self.prepare, self.paths = prepare, sorted(folder().iterdir())

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        return {"image": self.prepare(str(self.paths[index])), "label": index % 2}


def loader(prepare):
    return DataLoader(Views(prepare), batch_size=4)


def opened(path):
    return Image.open(path).convert("RGB")


def unit(pixels):
    """Return ``[3, H, W]`` from 0 to 1."""
    return torch.from_numpy(np.array(pixels)).permute(2, 0, 1).float() / 255


def normal(pixels):
    return (unit(pixels) - MEAN) / SPREAD
