"""DL406: picture and mask are mirrored by two calls, each of which draws for itself."""

import random

import torch
from PIL import Image, ImageEnhance, ImageOps
from torch.utils.data import DataLoader, Dataset

from tests.zoo._boxed import corners
from tests.zoo._photos import COUNT, TALL, WIDE, folder, levels, pixels


def maybe_mirrored(picture):
    return ImageOps.mirror(picture) if random.random() < 0.5 else picture


def each_by_itself(picture, mask):
    return maybe_mirrored(picture), maybe_mirrored(mask)


def both_alike(picture, mask):
    if random.random() < 0.5:
        return ImageOps.mirror(picture), ImageOps.mirror(mask)
    return picture, mask


def cut(picture):
    left, top = random.randint(0, WIDE - 32), random.randint(0, TALL - 24)
    return picture.crop((left, top, left + 32, top + 24))


def cut_apart(picture, mask):
    return cut(picture), cut(mask)


def cut_alike(picture, mask):
    left, top = random.randint(0, WIDE - 32), random.randint(0, TALL - 24)
    box = (left, top, left + 32, top + 24)
    picture = ImageEnhance.Brightness(picture.crop(box)).enhance(random.uniform(0.6, 1.2))
    return picture, mask.crop(box)


class Segments(Dataset):
    def __init__(self, transform):
        self.images = sorted((folder() / "images").glob("*.jpg"))
        self.masks = sorted((folder() / "masks").glob("*.png"))
        self.transform = transform

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture, mask = self.transform(Image.open(self.images[index]), Image.open(self.masks[index]))
        return {"image": pixels(picture), "mask": levels(mask)}


def loader(transform):
    return DataLoader(Segments(transform), batch_size=4)


def broken():
    return loader(each_by_itself)


def fixed():
    return loader(both_alike)


def broken_crops():
    return loader(cut_apart)


def healthy_crops():
    return loader(cut_alike)


class Detection(Dataset):
    """Mirrors the picture half of the time, and its boxes too or not."""

    def __init__(self, *, follow):
        self.images = sorted((folder() / "images").glob("*.jpg"))
        self.follow = follow

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture, boxes = Image.open(self.images[index]), corners(index, WIDE, TALL)
        if random.random() < 0.5:
            picture = ImageOps.mirror(picture)
            if self.follow:
                boxes = torch.stack([WIDE - boxes[:, 2], boxes[:, 1], WIDE - boxes[:, 0], boxes[:, 3]], 1)
        return {"image": pixels(picture), "boxes": boxes}


def listed(samples):
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "boxes": [one["boxes"] for one in samples],
    }


def broken_boxes():
    return DataLoader(Detection(follow=False), batch_size=4, collate_fn=listed)


def healthy_boxes():
    return DataLoader(Detection(follow=True), batch_size=4, collate_fn=listed)
