"""DL412: a mask of classes is resized as its picture is, with interpolation."""

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

COUNT, SIDE = 16, 48


class Scenes(Dataset):
    """Pictures of one thing each, whose class its mask holds; both are made smaller by one function or two."""

    def __init__(self, of_masks, *, classes=6):
        self.of_masks = of_masks
        chosen = np.random.default_rng(3)
        self.pictures, self.masks = [], []
        for number in range(COUNT):
            mask = np.zeros((72, 96), np.uint8)
            top, left = chosen.integers(4, 30), chosen.integers(4, 40)
            mask[top : top + 30, left : left + 40] = 3 + number % (classes - 3) if classes > 2 else 1
            light = chosen.integers(0, 90, (72, 96, 3), dtype=np.uint8)
            self.pictures.append(Image.fromarray(light + 40 * mask[..., None].clip(0, 1)))
            self.masks.append(Image.fromarray(mask))

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture = self.pictures[index].resize((SIDE, SIDE), Image.BILINEAR)
        mask = self.of_masks(self.masks[index])
        return torch.from_numpy(np.array(picture)).permute(2, 0, 1) / 255, torch.from_numpy(mask).long()


def as_the_picture(mask):
    return np.array(mask.resize((SIDE, SIDE), Image.BILINEAR))


def by_nearest(mask):
    return np.array(mask.resize((SIDE, SIDE), Image.NEAREST))


def largest_share(mask):
    """Each class is resized as a share of its own, and the largest one wins."""
    table = np.array(mask)
    shares = [
        np.array(Image.fromarray((table == one).astype(np.float32)).resize((SIDE, SIDE), Image.BILINEAR))
        for one in range(6)
    ]
    return np.stack(shares).argmax(0)


def loader(of_masks, **how):
    return DataLoader(Scenes(of_masks, **how), batch_size=4)


def broken():
    return loader(as_the_picture)


def fixed():
    return loader(by_nearest)


def healthy_largest_share():
    return loader(largest_share)


def healthy_two_classes():
    """Of neighbours nothing lies between."""
    return loader(as_the_picture, classes=2)
