"""DL513: both splits of one dataset share its random transform, the one for evaluation too."""

import torch
from torch.utils.data import DataLoader, Dataset, random_split

INTENT = {"role": "eval"}
OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class Images(Dataset):
    """Small images, with noise for training."""

    def __init__(self, noise):
        self.images = torch.rand(32, 3, 6, 6, generator=torch.Generator().manual_seed(0))
        self.noise = noise

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] + self.noise * torch.randn(3, 6, 6)


def second_split(data):
    return random_split(data, [24, 8], generator=torch.Generator().manual_seed(1))[1]


def broken():
    return DataLoader(second_split(Images(noise=0.1)), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(second_split(Images(noise=0.0)), batch_size=4, num_workers=2)
