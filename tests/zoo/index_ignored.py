"""DL115: `__getitem__` draws an item at random and does not look at the index."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    """Small images with a name of their own."""

    def __init__(self, draw):
        self.images = [torch.sin(torch.arange(64.0) * (k + 2) / 7).reshape(1, 8, 8) for k in range(40)]
        self.draw = draw

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        k = random.randrange(len(self.images)) if self.draw else index
        return {"id": f"digit_{k:02}", "image": self.images[k]}


class Augmented(Digits):
    """One and the same image each time, with noise and a flip."""

    def __getitem__(self, index):
        image = self.images[index] + 0.05 * torch.randn(1, 8, 8)
        return image.flip(-1) if random.random() < 0.5 else image


class Crops(Dataset):
    """Random windows of one long text: no index names a window."""

    def __init__(self):
        self.text = (torch.arange(4000) * 7919) % 253 + 2

    def __len__(self):
        return 40

    def __getitem__(self, index):
        start = int(torch.randint(len(self.text) - 17, (1,)))
        window = self.text[start : start + 17]
        return window[:-1], window[1:]


def broken():
    return DataLoader(Digits(draw=True), batch_size=4)


def fixed():
    return DataLoader(Digits(draw=False), batch_size=4, shuffle=True)


def healthy_augmented():
    return DataLoader(Augmented(draw=False), batch_size=4, shuffle=True)


class Windows(Crops):
    """Random windows of five texts, eight of each in a row: the index decides which text."""

    def __getitem__(self, index):
        if not 0 <= index < 40:
            raise IndexError(index)
        start = int(torch.randint(600, (1,))) + 700 * (index // 8)
        return self.text[start : start + 17]


def healthy_windows_of_texts():
    return DataLoader(Windows(), batch_size=4)


def healthy_random_crops():
    return DataLoader(Crops(), batch_size=4)
