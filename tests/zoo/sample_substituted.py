"""DL114: an image that cannot be read is quietly replaced by its neighbour, item 0 or a random one."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Images of which every sixth is truncated."""

    def __init__(self, cure, count=48):
        self.files = [k for k in range(count) if cure != "leave-out" or k % 6 != 4]
        self.cure = cure

    def __len__(self):
        return len(self.files)

    def read(self, index):
        number = self.files[index]
        if number % 6 == 4:
            raise OSError("image file is truncated (12 bytes not processed)")
        return torch.cos(torch.arange(48.0) * (number + 1) / 5).reshape(3, 4, 4)

    def __getitem__(self, index):
        try:
            return self.read(index), index % 3
        except OSError:
            return self[{"next": index + 1, "first": 0, "random": random.randrange(len(self))}[self.cure]]


class Blank(Images):
    """What cannot be read comes as a black image under its own label, or as an empty caption."""

    def __init__(self, field):
        super().__init__("none")
        self.field = field

    def __getitem__(self, index):
        if self.field == "caption":
            image = torch.cos(torch.arange(48.0) * (index + 1) / 5).reshape(3, 4, 4)
            return {"image": image, "caption": self.caption(index)}
        try:
            image = self.read(index)
        except OSError:
            image = torch.zeros(3, 4, 4)
        return image, index % 3

    def caption(self, index):
        try:
            return ["a dog runs", "two cats", "an old car", "the sea"][{6: 9}.get(index % 7, index % 4)]
        except IndexError:
            return ""


class Cached(Images):
    """Every first read misses a cache; some images are black as they were taken."""

    def __init__(self):
        super().__init__("leave-out")
        self.cache = {}

    def __getitem__(self, index):
        try:
            return self.cache[index], index % 3
        except KeyError:
            image = torch.zeros(3, 4, 4) if index == 5 else self.read(index)
            return image, index % 3


class Mixup(Images):
    """Each image is blended with another one of the same dataset."""

    def __getitem__(self, index):
        image, label = super().__getitem__(index)
        if random.random() < 0.5:
            other, _ = super().__getitem__(random.randrange(len(self)))
            image = 0.7 * image + 0.3 * other
        return image, label


class Patient(Images):
    """A storage that fails now and then; the same image is read again."""

    def __init__(self):
        super().__init__("leave-out")
        self.busy = {3, 17, 30}

    def __getitem__(self, index):
        if index in self.busy:
            self.busy.discard(index)
            try:
                raise ConnectionError("busy")
            except ConnectionError:
                return self[index]
        return super().__getitem__(index)


def broken():
    return DataLoader(Images("next"), batch_size=4)


def fixed():
    return DataLoader(Images("leave-out"), batch_size=4)


def broken_first():
    return DataLoader(Images("first"), batch_size=4)


def broken_random():
    return DataLoader(Images("random"), batch_size=4)


def broken_runs_over_the_end():
    return DataLoader(Images("next", count=11), batch_size=4)


def healthy_mixup():
    return DataLoader(Mixup("leave-out"), batch_size=4)


def healthy_retry():
    return DataLoader(Patient(), batch_size=4)


def broken_black_image():
    return DataLoader(Blank("image"), batch_size=4)


def broken_empty_caption():
    return DataLoader(Blank("caption"), batch_size=4)


def healthy_cache_and_a_black_image():
    return DataLoader(Cached(), batch_size=4)
