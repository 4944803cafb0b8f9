"""DL212: one picture is read for several indices."""

import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Pictures(Dataset):
    """Pictures of 16 by 16, of which `file_of` says which file is read for an index."""

    def __init__(self, file_of, count=96, noise=0.0):
        self.file_of = file_of
        self.count = count
        self.noise = noise

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError(index)
        pixels = np.random.default_rng(self.file_of(index)).random((3, 16, 16), dtype=np.float32)
        return torch.from_numpy(pixels) + self.noise * torch.rand(3, 16, 16), index % 5


class Crops(Dataset):
    """Several random crops of each picture, and which of them this one is."""

    def __init__(self, each):
        self.each = each

    def __len__(self):
        return 96

    def __getitem__(self, index):
        if not 0 <= index < 96:
            raise IndexError(index)
        pixels = np.random.default_rng(index // self.each).random((3, 24, 24), dtype=np.float32)
        top, left = torch.randint(9, (2,)).tolist()
        return torch.from_numpy(pixels[:, top : top + 16, left : left + 16].copy()), index % self.each


class Captioned(Dataset):
    """Five captions a picture, as in most captioning data; the picture is read for each."""

    def __len__(self):
        return 100

    def __getitem__(self, index):
        if not 0 <= index < 100:
            raise IndexError(index)
        pixels = np.random.default_rng(index // 5).random((3, 16, 16), dtype=np.float32)
        return {
            "image": torch.from_numpy(pixels),
            "caption": f"caption {index % 5} of the picture {index // 5}",
        }


class Synthetic(Dataset):
    """Noise, as benchmarks feed it: nothing of it belongs to an index."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        if not 0 <= index < 64:
            raise IndexError(index)
        return torch.rand(3, 16, 16), 0


class Flags(Dataset):
    """Rows of few values, which are alike by nature, beside a table that all samples share."""

    table = torch.linspace(0, 1, 40)

    def __len__(self):
        return 96

    def __getitem__(self, index):
        if not 0 <= index < 96:
            raise IndexError(index)
        return {"flags": torch.arange(24) % (2 + index % 2), "table": self.table, "label": index % 3}


def broken():
    return DataLoader(Pictures(lambda index: 0), batch_size=8)


def broken_few():
    return DataLoader(Pictures(lambda index: index // 4), batch_size=8)


def broken_augmented():
    return DataLoader(Pictures(lambda index: index % 7, noise=0.1), batch_size=8)


def fixed():
    return DataLoader(Pictures(lambda index: index), batch_size=8)


def healthy_augmented():
    return DataLoader(Pictures(lambda index: index, noise=0.1), batch_size=8)


def healthy_captions():
    return DataLoader(Captioned(), batch_size=8)


def healthy_repeated():
    return DataLoader(ConcatDataset([Pictures(lambda index: index, 40)] * 2), batch_size=8)


def healthy_crops():
    return DataLoader(Crops(2), batch_size=8)


def healthy_synthetic():
    return DataLoader(Synthetic(), batch_size=8)


def healthy_flags():
    return DataLoader(Flags(), batch_size=8)
