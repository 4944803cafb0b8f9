"""DL210: every label is the same, or a weighted sampler that balances nothing."""

import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

COUNT = 400


class Pictures(Dataset):
    """Noisy pictures with the class that `class_of` gives an index."""

    def __init__(self, class_of):
        self.class_of = class_of

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))
        return {"image": image, "label": self.class_of(index)}


def rare(index):
    return int(index % 20 == 7)


def broken():
    return DataLoader(Pictures(lambda index: 3), batch_size=16, shuffle=True)


def broken_weights():
    """Weights by how common a class is, where its inverse was meant."""
    share = {0: 0.95, 1: 0.05}
    weights = [share[rare(index)] for index in range(COUNT)]
    return DataLoader(Pictures(rare), batch_size=16, sampler=WeightedRandomSampler(weights, COUNT))


def fixed():
    return DataLoader(Pictures(lambda index: index % 4), batch_size=16, shuffle=True)


def fixed_weights():
    share = {0: 0.95, 1: 0.05}
    weights = [1 / share[rare(index)] for index in range(COUNT)]
    return DataLoader(Pictures(rare), batch_size=16, sampler=WeightedRandomSampler(weights, COUNT))


def healthy_rare_events():
    return DataLoader(Pictures(rare), batch_size=16, shuffle=True)
