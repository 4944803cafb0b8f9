"""DL105: a few rows of a table hold a word where a number is read; a stream with such a row."""

import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler


def rows(clean):
    """Lines as an export writes them; some measurements were not taken."""
    return [
        f"{k},{k * 0.37 % 5 + 0.1:.3f},{'n/a' if k % 10 == 7 and not clean else k * 3 % 11}"
        for k in range(40)
    ]


def parse(line):
    return torch.tensor([float(part) for part in line.split(",")])


class Table(Dataset):
    """One row a sample."""

    def __init__(self, clean):
        self.lines = rows(clean)

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        return parse(self.lines[index])


class Stream(IterableDataset):
    """The same as a stream."""

    def __init__(self, clean):
        self.clean = clean

    def __iter__(self):
        return map(parse, rows(self.clean))


class Flaky(Table):
    """A storage that fails at the first try; the second try reads the same row."""

    def __init__(self, clean):
        super().__init__(clean)
        self.tries = dict.fromkeys(range(len(self.lines)), 0)

    def fetch(self, index):
        self.tries[index] += 1
        if index % 5 == 2 and self.tries[index] % 2 == 1:
            raise ConnectionError("try again")
        return super().__getitem__(index)

    def __getitem__(self, index):
        for _ in range(3):
            try:
                return self.fetch(index)
            except ConnectionError:
                continue
        raise RuntimeError(f"row {index} cannot be read")


class Columns(Dataset):
    """Makes a whole batch of a list of rows, and takes nothing else."""

    def __init__(self):
        self.table = torch.stack([parse(line) for line in rows(True)])

    def __len__(self):
        return len(self.table)

    def __getitem__(self, wanted):
        return torch.stack([self.table[row] for row in wanted])


def healthy_lists():
    whole = Columns()
    return DataLoader(whole, sampler=BatchSampler(RandomSampler(whole), 8, False), batch_size=None)


class Scaled(Table):
    """An index comes with a size, drawn for the whole batch."""

    def __getitem__(self, wanted):
        index, size = wanted
        return parse(self.lines[index]).repeat(size)


class Sizes:
    """Batches of pairs."""

    def __len__(self):
        return 5

    def __iter__(self):
        for start in range(0, 40, 8):
            yield [(index, 1 + start % 3) for index in range(start, start + 8)]


def healthy_pairs():
    return DataLoader(Scaled(True), batch_sampler=Sizes())


def broken():
    return DataLoader(Table(clean=False), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Table(clean=True), batch_size=4, num_workers=2)


def broken_stream():
    return DataLoader(Stream(clean=False), batch_size=4)


def healthy_stream():
    return DataLoader(Stream(clean=True), batch_size=4)


def healthy_retries():
    return DataLoader(Flaky(clean=True), batch_size=4)
