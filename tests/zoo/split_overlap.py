"""DL610: the split is drawn anew for each side, or files and rows stand in both lists."""

from functools import cache

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Subset, random_split

from tests.zoo._photos import coarse, folder, pixels


class Rows(Dataset):
    """Rows made from numbers, with the numbers as small ids."""

    def __init__(self, seeds, flip=False):
        self.seeds = list(seeds)
        self.flip = flip

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(self.seeds[index])
        row = torch.rand(24, generator=generator)
        return {"id": index, "row": row + 0.1 * torch.rand(24) if self.flip else row, "label": index % 3}


def loaders(train, held_out):
    return {
        "train": DataLoader(train, batch_size=8, shuffle=True),
        "eval": DataLoader(held_out, batch_size=8),
    }


def broken():
    whole = Rows(range(80))
    return loaders(random_split(whole, [60, 20])[0], random_split(whole, [60, 20])[1])


def fixed():
    return loaders(*random_split(Rows(range(80)), [60, 20]))


def broken_content():
    """Two lists that someone made by hand."""
    return loaders(Rows(range(60)), Rows(range(50, 80)))


def healthy_same_ids():
    """Each side counts its own items."""
    return loaders(Rows(range(60)), Rows(range(100, 120)))


@cache
def files():
    home = folder() / "overlap"
    home.mkdir(parents=True)
    for number in range(24):
        coarse(number, 16, 16).save(home / f"{number}.png")
    return home


class Files(Dataset):
    """Pictures that training sees shifted at random, with a list that names them by number."""

    def __init__(self, numbers, shifted):
        self.numbers, self.shifted = list(numbers), shifted

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        picture = pixels(Image.open(files() / f"{self.numbers[index]}.png"))
        return picture + 0.1 * torch.rand(()) if self.shifted else picture, self.numbers[index] % 2


def broken_files():
    return loaders(Files(range(18), shifted=True), Files(range(12, 24), shifted=False))


def healthy_files():
    return loaders(Files(range(12), shifted=True), Files(range(12, 24), shifted=False))


class Questions(Dataset):
    """Pictures with several questions each."""

    def __init__(self, offset):
        self.offset = offset

    def __len__(self):
        return 36

    def __getitem__(self, index):
        picture = pixels(Image.open(files() / f"{index % 12}.png"))
        text = f"question {index + self.offset} of this picture, which is long enough"
        return {"image": picture, "question": text, "answer": "yes" if index % 2 else "no"}


def healthy_questions():
    """The pictures are the same, the questions are not."""
    return loaders(Questions(0), Questions(36))


def healthy_folds():
    whole = Rows(range(60), flip=True)
    return loaders(Subset(whole, range(12, 60)), Subset(whole, range(12)))


class Whole(Rows):
    """Takes the indices of a whole batch, and no single number."""

    def __getitem__(self, index):
        return torch.stack([super(Whole, self).__getitem__(one)["row"] for one in index])


def by_lists(first, second):
    """The samplers are lists of batches of indices."""
    whole = Whole(range(64))
    return {
        name: DataLoader(whole, sampler=[list(range(k, k + 8)) for k in starts], batch_size=None)
        for name, starts in (("train", first), ("eval", second))
    }


def broken_lists():
    return by_lists(range(0, 48, 8), range(40, 64, 8))


def healthy_lists():
    return by_lists(range(0, 40, 8), range(40, 64, 8))
