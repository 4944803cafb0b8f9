"""DL506: the epoch is set in the main process, and persistent workers go on with the first one."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class ByEpoch(Dataset):
    """Rows whose noise seed, epoch and index decide."""

    def __init__(self):
        self.rows = torch.arange(96.0).reshape(24, 4)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] + float(np.random.default_rng((7, int(self.epoch), index)).random())


class Shared(ByEpoch):
    """The epoch lies in shared memory."""

    def __init__(self):
        super().__init__()
        self.epoch = torch.tensor(0).share_memory_()

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)


class Unused(ByEpoch):
    """Notes the epoch and makes nothing of it."""

    def __getitem__(self, index):
        return self.rows[index]


class OnClass(ByEpoch):
    """The epoch begins as an attribute of the class, and only setting it makes one of the object."""

    epoch = 0

    def __init__(self):
        self.rows = torch.arange(96.0).reshape(24, 4)


class Curriculum(ByEpoch):
    """Noise of two sources whose weights lie in a list of an object that is held in a list."""

    def __init__(self):
        super().__init__()
        self.steps = [Mixed()]

    def set_epoch(self, epoch):
        self.steps[0].weights = [1 - epoch / 4, epoch / 4]

    def __getitem__(self, index):
        first, second = self.steps[0].weights
        return self.rows[index] * first + second


class Mixed:
    """Weights of two sources."""

    __slots__ = ("weights",)

    def __init__(self):
        self.weights = [1.0, 0.0]


def broken():
    return DataLoader(ByEpoch(), batch_size=4, num_workers=2, persistent_workers=True)


def fixed():
    return DataLoader(ByEpoch(), batch_size=4, num_workers=2, persistent_workers=False)


def healthy_shared():
    return DataLoader(Shared(), batch_size=4, num_workers=2, persistent_workers=True)


def healthy_unused():
    return DataLoader(Unused(), batch_size=4, num_workers=2, persistent_workers=True)


def broken_attribute_of_the_class():
    return DataLoader(OnClass(), batch_size=4, num_workers=2, persistent_workers=True)


def fixed_attribute_of_the_class():
    return DataLoader(OnClass(), batch_size=4, num_workers=2)


def broken_weights_in_a_list():
    return DataLoader(Curriculum(), batch_size=4, num_workers=2, persistent_workers=True)


class Stream(IterableDataset):
    """A stream that the epoch shuffles, each worker taking its part."""

    def __init__(self):
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = np.random.default_rng((3, self.epoch)).permutation(24)
        info = get_worker_info()
        for number in order[info.id :: info.num_workers] if info else order:
            yield torch.tensor([float(number), 1.0])


def broken_stream():
    return DataLoader(Stream(), batch_size=4, num_workers=2, persistent_workers=True)


def healthy_stream():
    return DataLoader(Stream(), batch_size=4, num_workers=2)
