"""DL503: a generator without a seed takes one from the system, other in each run."""

import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["reproduction"]}


class Crops(Dataset):
    """Windows of one long row."""

    def __init__(self, seed):
        self.row = torch.arange(200.0)
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return 24

    def __getitem__(self, index):
        start = int(self.rng.integers(0, 100))
        return self.row[index : index + 8] + start


def broken():
    return DataLoader(Crops(None), batch_size=4)


def fixed():
    return DataLoader(Crops(torch.initial_seed()), batch_size=4)


class Words(Dataset):
    """Texts whose words get their numbers from a set, in an order that each process has its own."""

    texts = [f"alpha beta{k} gamma{k % 5} delta{k % 7} epsilon" for k in range(24)]

    def __init__(self, ordered):
        words = {word for text in self.texts for word in text.split()}
        self.vocabulary = {word: k for k, word in enumerate(sorted(words) if ordered else words)}

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return torch.tensor([self.vocabulary[word] for word in self.texts[index].split()])


def broken_set_order():
    return DataLoader(Words(ordered=False), batch_size=4)


def healthy_sorted():
    return DataLoader(Words(ordered=True), batch_size=4)


def broken_clock():
    return DataLoader(Crops(time.time_ns()), batch_size=4)


class Noisy(Crops):
    """Noise from the global generators, which the user's seed decides."""

    def __getitem__(self, index):
        return self.row[index : index + 8] + torch.rand(8) + float(np.random.random())


def healthy_shuffled():
    return DataLoader(Noisy(0), batch_size=4, shuffle=True, num_workers=2)
