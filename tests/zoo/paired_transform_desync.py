"""DL406: picture and mask are mirrored by two calls, each of which draws for itself."""

import io
import random

import numpy as np
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


class Held(Dataset):
    """Pictures and masks that lie in memory as arrays, mirrored together or each by itself."""

    def __init__(self, *, follow):
        draw = np.random.default_rng(3)
        self.pictures = draw.integers(0, 256, (24, 32, 40, 3), dtype=np.uint8)
        self.masks = np.zeros((24, 32, 40), dtype=np.uint8)
        for index in range(24):
            top, left = draw.integers(2, 14, 2)
            self.masks[index, top : top + 12, left : left + 9] = 1 + index % 3
        self.follow = follow

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture, mask = self.pictures[index], self.masks[index]
        if random.random() < 0.5:
            picture = picture[:, ::-1]
            mask = mask[:, ::-1] if self.follow else mask
        picture = torch.from_numpy(picture.copy()).permute(2, 0, 1) / 255
        return {"image": picture, "mask": torch.from_numpy(mask.copy()).long()}


def broken_held():
    return DataLoader(Held(follow=False), batch_size=4)


def healthy_held():
    return DataLoader(Held(follow=True), batch_size=4)


class Faces(Dataset):
    """Bytes of PNG files with keypoints; left and right are exchanged where the picture is mirrored."""

    def __init__(self, *, follow, cut=False):
        draw = np.random.default_rng(5)
        self.files, self.follow, self.cut = [], follow, cut
        for _ in range(24):
            file = io.BytesIO()
            Image.fromarray(draw.integers(0, 256, (48, 48, 3), dtype=np.uint8)).save(file, "PNG")
            self.files.append(file.getvalue())
        self.points = torch.from_numpy(draw.uniform(14, 34, (24, 5, 2))).float()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        picture, points = Image.open(io.BytesIO(self.files[index])), self.points[index].clone()
        if self.cut:
            left, top = random.randint(0, 12), random.randint(0, 12)
            picture = picture.crop((left, top, left + 36, top + 36))
            points -= torch.tensor([left, top]) if self.follow else 0
        elif random.random() < 0.5:
            picture = ImageOps.mirror(picture)
            if self.follow:
                points = torch.stack([48 - points[:, 0], points[:, 1]], 1)[[1, 0, 2, 4, 3]]
        return {"image": pixels(picture), "keypoints": points}


def broken_keypoints():
    return DataLoader(Faces(follow=False), batch_size=4)


def healthy_keypoints():
    return DataLoader(Faces(follow=True), batch_size=4)


def broken_cut_keypoints():
    return DataLoader(Faces(follow=False, cut=True), batch_size=4)


def healthy_cut_keypoints():
    return DataLoader(Faces(follow=True, cut=True), batch_size=4)


class Mosaic(Dataset):
    """Four pictures beside each other, and the boxes of all of them."""

    def __init__(self):
        self.images = sorted((folder() / "images").glob("*.jpg"))

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        canvas, boxes = Image.new("RGB", (2 * WIDE, 2 * TALL)), []
        for at, other in enumerate([index, *random.choices(range(COUNT), k=3)]):
            left, top = at % 2 * WIDE, at // 2 * TALL
            canvas.paste(Image.open(self.images[other]), (left, top))
            boxes.append(corners(other, WIDE, TALL) + torch.tensor([left, top, left, top]))
        return {"image": pixels(canvas), "boxes": torch.cat(boxes)}


def healthy_mosaic():
    return DataLoader(Mosaic(), batch_size=4, collate_fn=listed)


class Scans(Dataset):
    """Volumes and their masks, each axis turned round half of the time."""

    def __init__(self, *, follow):
        draw = np.random.default_rng(6)
        self.scans = [draw.normal(0, 100, (14, 20, 20)).astype(np.float32) for _ in range(16)]
        self.masks = [(scan > 40).astype(np.int64) for scan in self.scans]
        self.follow = follow

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan, mask = self.scans[index], self.masks[index]
        for axis in range(3):
            turned = random.random() < 0.5
            scan = np.flip(scan, axis) if turned else scan
            mask = np.flip(mask, axis) if (turned if self.follow else random.random() < 0.5) else mask
        return torch.from_numpy(scan.copy())[None], torch.from_numpy(mask.copy())


def broken_volumes():
    return DataLoader(Scans(follow=False), batch_size=2)


def healthy_volumes():
    return DataLoader(Scans(follow=True), batch_size=2)


class Yolo(Detection):
    """A row a box: class, centre and size in shares of the sides."""

    def __getitem__(self, index):
        picture, boxes = Image.open(self.images[index]), corners(index, 1, 1)
        size = boxes[:, 2:] - boxes[:, :2]
        middle = boxes[:, :2] + size / 2
        if random.random() < 0.5:
            picture = ImageOps.mirror(picture)
            if self.follow:
                middle[:, 0] = 1 - middle[:, 0]
        kinds = torch.arange(len(boxes))[:, None] % 3
        return pixels(picture), torch.cat([kinds, middle, size], 1)


def numbered(samples):
    """The row of the picture stands before each box."""
    rows = [torch.cat([torch.full((len(one), 1), at), one], 1) for at, (_, one) in enumerate(samples)]
    return torch.stack([picture for picture, _ in samples]), torch.cat(rows)


def broken_yolo():
    return DataLoader(Yolo(follow=False), batch_size=4, collate_fn=numbered)


def healthy_yolo():
    return DataLoader(Yolo(follow=True), batch_size=4, collate_fn=numbered)
