"""DL206: a resize that looks at four pixels, however many lie below."""

import random

import cv2
import numpy as np
import torch
from PIL import Image, ImageFilter
from torch.utils.data import DataLoader, Dataset

from tests.zoo._views import COUNT, folder, loader, opened, unit

SIZE = (48, 40)


def in_rgb(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def broken():
    return loader(lambda path: unit(cv2.resize(in_rgb(path), SIZE)))


def fixed():
    return loader(lambda path: unit(cv2.resize(in_rgb(path), SIZE, interpolation=cv2.INTER_AREA)))


def interpolated(path, *, antialias):
    pixels = unit(opened(path))[None]
    return torch.nn.functional.interpolate(pixels, SIZE, mode="bilinear", antialias=antialias)[0]


def broken_in_torch():
    return loader(lambda path: interpolated(path, antialias=False))


def fixed_in_torch():
    return loader(lambda path: interpolated(path, antialias=True))


def broken_by_slices():
    """Every third pixel, of a picture whose brightness is drawn."""

    def prepare(path):
        return (unit(opened(path)) * random.uniform(0.7, 1.2))[:, ::3, ::3]

    return loader(prepare)


def healthy_draft():
    """The decoder gives a smaller picture, which little is to be done to."""

    def prepare(path):
        picture = Image.open(path)
        picture.draft("RGB", (80, 60))
        picture = picture.convert("RGB")
        return unit(picture.resize(SIZE, Image.Resampling.LANCZOS))

    return loader(prepare)


def healthy_cuts():
    """Cut without scaling, mirrored, and sharpened."""

    def prepare(path):
        picture = opened(path)
        left, top = random.randint(0, 100), random.randint(0, 70)
        picture = picture.crop((left, top, left + 48, top + 48))
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if random.random() < 0.5 else picture
        return unit(picture.filter(ImageFilter.UnsharpMask(2, 200, 0)))

    return loader(prepare)


def healthy_sharpened():
    def prepare(path):
        picture = opened(path).resize(SIZE, Image.Resampling.BICUBIC)
        return unit(picture.filter(ImageFilter.UnsharpMask(2, 200, 0)))

    return loader(prepare)


class Segments(Dataset):
    """The mask, a file of few values, is rightly resized by nearest neighbours; so is a map of depths."""

    def __init__(self):
        self.paths = sorted(folder().iterdir())

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        picture = opened(self.paths[index])
        near = Image.Resampling.NEAREST
        depth = np.array(Image.open(self.paths[index]).convert("L").resize(SIZE, near), dtype=np.float32)
        mask = picture.convert("L").point(lambda level: level // 64).resize(SIZE, near)
        return {
            "image": unit(picture.resize(SIZE, Image.Resampling.BILINEAR)),
            "mask": torch.from_numpy(np.array(mask)).long(),
            "depth": torch.from_numpy(depth) / 255,
        }


def healthy_masks():
    return DataLoader(Segments(), batch_size=4)
