"""DL104: `next()` on the matching annotations of an image, of which one image has none."""

import torch
from torch.utils.data import DataLoader, Dataset

NAMES = [f"img_{k:03}" for k in range(24)]
ANNOTATED = [name for k, name in enumerate(NAMES) if k != 13]
CAPTIONS = [["a cat"] if k != 9 else [] for k in range(24)]


class Annotated(Dataset):
    """The index of the first annotation that belongs to an image."""

    def __init__(self, default):
        self.default = default

    def __len__(self):
        return len(NAMES)

    def __getitem__(self, index):
        found = (float(k) for k, name in enumerate(ANNOTATED) if name == NAMES[index])
        return torch.tensor([index + 1.0, next(found, -1.0) if self.default else next(found)])


class FirstCaption(Dataset):
    """The first of several captions of an image."""

    def __init__(self, default):
        self.default = default

    def __len__(self):
        return len(CAPTIONS)

    def __getitem__(self, index):
        captions = CAPTIONS[index] or ["no caption"] if self.default else CAPTIONS[index]
        return {"image_id": index, "caption": captions[0]}


def broken():
    return DataLoader(Annotated(default=False), batch_size=4)


def fixed():
    return DataLoader(Annotated(default=True), batch_size=4)


def broken_in_workers():
    return DataLoader(Annotated(default=False), batch_size=4, num_workers=2)


def broken_index_error():
    return DataLoader(FirstCaption(default=False), batch_size=4)


def healthy_index_error():
    return DataLoader(FirstCaption(default=True), batch_size=4)


class StopsAtTheEnd(Annotated):
    """Ends a plain loop by StopIteration, past the last index only."""

    def __getitem__(self, index):
        if index >= len(self):
            raise StopIteration
        return super().__getitem__(index)


def healthy_stops_at_the_end():
    return DataLoader(StopsAtTheEnd(default=True), batch_size=4)
