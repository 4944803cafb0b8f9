"""DL513: both splits of one dataset share its random transform, the one for evaluation too."""

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info, random_split

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


class Clips(IterableDataset):
    """Clips of long recordings, from a random place or from the middle."""

    def __init__(self, anywhere):
        self.anywhere = anywhere

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in range(first, 64, step):
            recording = torch.linspace(0, 40 + number, 400).sin()
            begin = int(torch.randint(0, 300, ())) if self.anywhere else 150
            yield {"name": f"recording {number}", "clip": recording[begin : begin + 100]}


def broken_stream():
    return DataLoader(Clips(anywhere=True), batch_size=4, num_workers=2)


def healthy_stream():
    return DataLoader(Clips(anywhere=False), batch_size=4, num_workers=2)
