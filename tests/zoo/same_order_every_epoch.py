"""DL606: a sampler shuffles with a constant seed and forgets the epoch that it is told."""

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Sampler

INTENT = {"role": "train"}


class Digits(Dataset):
    """Numbers."""

    def __len__(self):
        return 48

    def __getitem__(self, index):
        return torch.tensor([index, index + 1])


class Shuffled(Sampler):
    """A permutation by seed and, if it is used, epoch."""

    def __init__(self, data, forgets):
        self.data, self.forgets, self.epoch, self.shuffle = data, forgets, 0, True

    def set_epoch(self, epoch):
        if not self.forgets:
            self.epoch = epoch

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        generator = torch.Generator().manual_seed(17 + self.epoch)
        return iter(torch.randperm(len(self.data), generator=generator).tolist())


class Stream(IterableDataset):
    """A buffer that is shuffled by a seed."""

    def __init__(self, forgets):
        self.forgets, self.epoch, self.shuffle_buffer = forgets, 0, 64

    def set_epoch(self, epoch):
        self.epoch = 0 if self.forgets else epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.epoch)
        for k in torch.randperm(48, generator=generator).tolist():
            yield {"id": k, "x": torch.tensor([k, k * 3])}


def broken():
    return DataLoader(Digits(), batch_size=4, sampler=Shuffled(Digits(), forgets=True))


def broken_stream():
    return DataLoader(Stream(forgets=True), batch_size=4)


def fixed():
    return DataLoader(Digits(), batch_size=4, sampler=Shuffled(Digits(), forgets=False))


def healthy_stream():
    return DataLoader(Stream(forgets=False), batch_size=4)


def healthy_distributed():
    return DataLoader(Digits(), batch_size=4, sampler=DistributedSampler(Digits(), 1, 0))


def healthy_in_order():
    return DataLoader(Digits(), batch_size=4)


def healthy_plain_shuffle():
    return DataLoader(Digits(), batch_size=4, shuffle=True)


def healthy_seeded_generator():
    return DataLoader(Digits(), batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(3))
