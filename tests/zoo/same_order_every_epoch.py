"""DL606: a sampler shuffles with a constant seed and forgets the epoch that it is told."""

import random

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    Sampler,
    get_worker_info,
)

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


class Planned(Sampler):
    """Batches that are planned when it is made, and again when an epoch is announced, or not."""

    def __init__(self, count, again):
        self.count, self.again, self.epoch = count, again, 0
        self.batches = self.plan()

    def plan(self):
        generator = torch.Generator().manual_seed(5 + self.epoch)
        return torch.randperm(self.count, generator=generator).view(-1, 4).tolist()

    def set_epoch(self, epoch):
        self.epoch = epoch
        if self.again:
            self.batches = self.plan()

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        return iter(self.batches)


class ByLength(Planned):
    """An order that is meant, with a `set_epoch` because trainers call it."""

    def plan(self):
        return torch.tensor([k * 7 % self.count for k in range(self.count)]).view(-1, 4).tolist()

    def set_epoch(self, epoch):
        pass


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


class Records(IterableDataset):
    """A list of records in an order of its own, which nothing but the code says is shuffled."""

    def __init__(self, seed):
        self.seed = seed

    def order(self):
        order = list(range(48))
        seed = torch.initial_seed() if self.seed is None else self.seed
        random.Random(seed).shuffle(order)
        return order

    def __iter__(self):
        info = get_worker_info()
        step, start = (info.num_workers, info.id) if info else (1, 0)
        for k in self.order():
            if k % step == start:
                yield {"id": k, "x": torch.tensor([k, k * 3])}


class Stored(Records):
    """Records in the order in which they are stored."""

    def order(self):
        return [k * 7 % 48 + k // 48 for k in range(48)]


def broken():
    return DataLoader(Digits(), batch_size=4, sampler=Shuffled(Digits(), forgets=True))


def broken_planned_once():
    return DataLoader(Digits(), batch_sampler=Planned(48, again=False))


def healthy_planned_again():
    return DataLoader(Digits(), batch_sampler=Planned(48, again=True))


def healthy_order_that_is_meant():
    return DataLoader(Digits(), batch_sampler=ByLength(48, again=False))


def broken_stream():
    return DataLoader(Stream(forgets=True), batch_size=4)


def broken_seed_in_the_stream():
    return DataLoader(Records(seed=0), batch_size=4, num_workers=2)


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


def healthy_seed_of_the_worker():
    return DataLoader(Records(seed=None), batch_size=4, num_workers=2)


def healthy_stored_order():
    return DataLoader(Stored(seed=0), batch_size=4, num_workers=2)


class Rows(Digits):
    """Takes the indices of a whole batch."""

    def __getitem__(self, index):
        return torch.tensor([[one, one + 1] for one in index])


def lists(forgets):
    """The sampler hands lists to the dataset, which makes batches of them."""
    batches = BatchSampler(Shuffled(Digits(), forgets), 4, drop_last=False)
    return DataLoader(Rows(), sampler=batches, batch_size=None)


def broken_lists():
    return lists(forgets=True)


def healthy_lists():
    return lists(forgets=False)
