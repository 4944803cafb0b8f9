"""DL408: pictures are made smaller on reading, and boxes stay as they were drawn on the file."""

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from tests.zoo._boxed import corners
from tests.zoo._photos import COUNT, TALL, WIDE, folder, levels, pixels


class Detection(Dataset):
    def __init__(self, *, resized, scaled):
        self.paths = sorted((folder() / "images").glob("*.jpg"))
        self.resized, self.scaled = resized, scaled

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture, boxes = Image.open(self.paths[index]), corners(index, WIDE, TALL)
        if self.resized:
            picture = picture.resize((WIDE // 2, TALL // 2))
        return {"image": pixels(picture), "boxes": boxes / 2 if self.scaled else boxes}


def listed(samples):
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "boxes": [one["boxes"] for one in samples],
    }


def broken():
    return DataLoader(Detection(resized=True, scaled=False), batch_size=4, collate_fn=listed)


def fixed():
    return DataLoader(Detection(resized=True, scaled=True), batch_size=4, collate_fn=listed)


def healthy_not_resized():
    return DataLoader(Detection(resized=False, scaled=False), batch_size=4, collate_fn=listed)


class Masks(Dataset):
    """Masks of the picture's size, of a quarter of it, or of the size of the file."""

    def __init__(self, size):
        self.images = sorted((folder() / "images").glob("*.jpg"))
        self.masks = sorted((folder() / "masks").glob("*.png"))
        self.size = size

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        mask = Image.open(self.masks[index]).resize(self.size, Image.Resampling.NEAREST)
        return {"image": pixels(Image.open(self.images[index]).resize((48, 32))), "mask": levels(mask)}


def broken_masks():
    return DataLoader(Masks((WIDE, TALL)), batch_size=4)


def healthy_quarter():
    return DataLoader(Masks((12, 8)), batch_size=4)
