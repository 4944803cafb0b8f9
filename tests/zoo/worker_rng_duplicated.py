"""DL501: a generator that an object keeps is copied to each worker in the same state."""

import random
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class Jitter:
    """Adds noise from a generator that is made at once, or on first use from the worker's own seed."""

    def __init__(self, lazy):
        self.rng = None if lazy else np.random.default_rng(0)

    def __call__(self, x):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
        return x + torch.from_numpy(self.rng.normal(size=4).astype("float32"))


class Vectors(Dataset):
    """Rows that can be told apart, with a transform."""

    def __init__(self, transform=None):
        self.rows = torch.arange(128.0).reshape(32, 4)
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        return self.transform(row) if self.transform else row


# Persistent workers go on with their generators, so that epochs differ and only workers agree.
def broken():
    return DataLoader(Vectors(Jitter(lazy=False)), batch_size=4, num_workers=2, persistent_workers=True)


def fixed():
    return DataLoader(Vectors(Jitter(lazy=True)), batch_size=4, num_workers=2, persistent_workers=True)


class Flip:
    """Turns half of the rows around: two values only, which agree by chance now and then."""

    def __init__(self):
        self.rng = random.Random(3)

    def __call__(self, x):
        return x.flip(0) if self.rng.random() < 0.5 else x


def broken_coin():
    return DataLoader(Vectors(Flip()), batch_size=4, num_workers=2, persistent_workers=True)


class Masking:
    """Hides entries of a batch with a generator of its own."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(1)

    def __call__(self, rows):
        batch = torch.stack(rows)
        return torch.where(torch.rand(batch.shape, generator=self.generator) < 0.3, -1.0, batch)


def broken_collate():
    return DataLoader(Vectors(), batch_size=4, num_workers=2, persistent_workers=True, collate_fn=Masking())


def seed_alike(_worker):
    np.random.seed(0)


class GlobalNoise(Vectors):
    """Noise from numpy's global generator, which PyTorch seeds in each worker."""

    def __getitem__(self, index):
        return self.rows[index] + float(np.random.random())


def broken_init_fn():
    return DataLoader(
        GlobalNoise(), batch_size=4, num_workers=2, persistent_workers=True, worker_init_fn=seed_alike
    )


def healthy_modern_numpy():
    return DataLoader(GlobalNoise(), batch_size=4, num_workers=2)


class Hashed(Vectors):
    """Looks random and is not: the value comes from the index."""

    def __getitem__(self, index):
        return self.rows[index] + zlib.crc32(str(index).encode()) / 2**32


def healthy_constant():
    return DataLoader(Hashed(), batch_size=4, num_workers=2)


class SeededByIndex(Vectors):
    """Draws from a generator that the index seeds, on purpose."""

    def __init__(self):
        super().__init__()
        self.rng = random.Random()

    def __getitem__(self, index):
        self.rng.seed(index)
        return self.rows[index] + self.rng.random()


def healthy_seeded_by_index():
    return DataLoader(SeededByIndex(), batch_size=4, num_workers=2)


class Shards(IterableDataset):
    """Shards in an order that all workers shuffle alike, each reading its own."""

    def __init__(self, noise):
        self.order = random.Random(5)
        self.noise = np.random.default_rng(1) if noise else None

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        shards = list(range(16))
        self.order.shuffle(shards)
        for shard in shards[first::step]:
            for row in range(4):
                extra = float(self.noise.random()) if self.noise else 0.0
                yield torch.tensor([float(4 * shard + row), extra])


def broken_stream():
    return DataLoader(Shards(noise=True), batch_size=4, num_workers=2, persistent_workers=True)


def healthy_stream():
    return DataLoader(Shards(noise=False), batch_size=4, num_workers=2)


def healthy_without_workers():
    return DataLoader(Vectors(Jitter(lazy=False)), batch_size=4)


class Masked(IterableDataset):
    """Rows with a few places blanked, by a generator that `__iter__` makes."""

    def __init__(self, of_worker):
        self.of_worker = of_worker
        self.epoch = 0
        self.rows = np.random.default_rng(3).integers(1, 900, (400, 16))

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        # All workers shuffle alike, so that each row is read once; what they blank must differ.
        order = random.Random(self.epoch)
        rng = np.random.default_rng(info.seed if info and self.of_worker else [7, self.epoch])
        for row in order.sample(range(400), 400)[first::step]:
            values = self.rows[row].copy()
            values[rng.random(16) < 0.2] = 0
            yield {"row": row, "values": torch.from_numpy(values)}


def broken_stream_seeded_alike():
    return DataLoader(Masked(of_worker=False), batch_size=4, num_workers=2)


def healthy_stream_seeded_by_worker():
    return DataLoader(Masked(of_worker=True), batch_size=4, num_workers=2)


class LazyAndAlike(Jitter):
    """Made on first use in each worker, and with one seed for all."""

    def __call__(self, x):
        if self.rng is None:
            self.rng = np.random.default_rng(12)
        return super().__call__(x)


def broken_lazy_and_alike():
    return DataLoader(Vectors(LazyAndAlike(lazy=True)), batch_size=4, num_workers=2, persistent_workers=True)
